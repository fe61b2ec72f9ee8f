import Crypto
package import Foundation
package import WeirOperations
import WeirStates

/// The operations of a folder, one file each, with the mistakes of its files.
package struct OperationFolder: Sendable {
    package let url: URL
    package let definitions: [OperationDefinition]
    /// The mistakes; operations with mistakes are not in `definitions`, unless an earlier version is kept.
    package let mistakes: [FileMistake]
    /// The text of each operation's file, by id.
    package let texts: [String: String]
    /// The mistakes in newer files of operations that keep their earlier definitions, by id.
    package let outdated: [String: [FileMistake]]
    /// The texts of the calendars that schedules name, by file name.
    private let calendars: [String: String]
    /// The state templates, by path: `backup/dumping.mustache`.
    package let templates: [String: String]

    /// The number of files that are read unless a setting says otherwise.
    package static let standardLimit = 500
    /// The number of templates that are read of an operation.
    static let templateLimit = 500

    /// Reads a folder; definitions of `earlier` replace those of invalid files.
    ///
    /// `reserved` has the fields of other operations by their ids, which files cannot use. Of more files than `limit`, the first
    /// ones by name are read. `timezone` is the zone of schedules that name none.
    package init(
        _ url: URL, reserved: [String: [InputField]] = [:], keeping earlier: OperationFolder? = nil,
        limit: Int = standardLimit, timezone: String? = nil
    ) throws(Unreadable) {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
        } catch {
            throw Unreadable(path: url.path)
        }
        var definitions: [OperationDefinition] = []
        var mistakes: [FileMistake] = []
        var files: [String: String] = [:]
        var texts: [String: String] = [:]
        var outdated: [String: [FileMistake]] = [:]
        let calendars = CalendarFolder(url)
        for name in names.filter(Self.isOperation).prefix(max(0, limit)) {
            var list = MistakeList(file: name)
            let id = Self.id(of: name)
            if !Self.isID(id) {
                list.note(
                    .start,
                    "“\(id.prefix(60))” cannot be an id. Name the file with at most 40 of a-z, 0-9 and single hyphens, such "
                        + "as back-up.yml.")
            } else if reserved[id] != nil {
                list.note(.start, "There is an operation “\(id)” already. Rename the file.")
            } else if let other = files.updateValue(name, forKey: id) {
                list.note(.start, "\(other) is the operation “\(id)” too. Rename one.")
            } else if let text = Self.text(of: url.appending(path: name).path, &list) {
                let (definition, found) = DefinitionReader.read(
                    text, id: id, file: name, calendars: calendars, timezone: timezone)
                if found.isEmpty || Self.mayQuote(text, of: name, in: url) {
                    for mistake in found { list.take(mistake) }
                } else {
                    list.note(.start, Self.unlike)
                }
                if let definition {
                    definitions.append(definition)
                    texts[id] = text
                }
            }
            mistakes += list.mistakes
        }
        let count = names.filter(Self.isOperation).count
        if count > limit {
            mistakes.append(
                FileMistake(
                    file: url.lastPathComponent, line: 1, column: 1,
                    detail:
                        "The folder has \(count) files, and the first \(limit) by name are read. Raise the setting operations.maximum, "
                        + "or remove files."))
        }
        let linked = StepsLinker.link(definitions, others: reserved, files: Set(files.keys))
        definitions = linked.definitions
        mistakes += linked.mistakes
        for (id, name) in files where !definitions.contains(where: { $0.id == id }) {
            guard let kept = earlier?.definition(id) else { continue }
            definitions.append(kept)
            texts[id] = earlier?.texts[id]
            outdated[id] = mistakes.filter { $0.file == name }
        }
        definitions.sort { files[$0.id] ?? "" < files[$1.id] ?? "" }
        self.url = url
        self.definitions = definitions
        self.texts = texts
        self.outdated = outdated
        self.calendars = calendars.texts
        templates = Self.templates(in: url, of: definitions.map(\.id), &mistakes)
        self.mistakes = mistakes.sorted()
    }

    /// The previous version of a folder that has become unreadable, with that as its mistake.
    init(vanished earlier: OperationFolder) {
        url = earlier.url
        definitions = earlier.definitions
        texts = earlier.texts
        (templates, calendars) = (earlier.templates, earlier.calendars)
        // Omits the folder's path, because operation pages show the mistake to all users.
        let mistake = FileMistake(
            file: earlier.url.lastPathComponent, line: 1, column: 1,
            detail: "The folder of operation files cannot be read. Its operations stay as they were until it can.")
        mistakes = [mistake]
        outdated = earlier.definitions.reduce(into: [:]) { $0[$1.id] = [mistake] }
    }

    init(empty url: URL) {
        self.url = url
        (definitions, mistakes, texts, outdated, templates, calendars) = ([], [], [:], [:], [:], [:])
    }

    private func definition(_ id: String) -> OperationDefinition? { definitions.first { $0.id == id } }

    package struct Unreadable: Error, Sendable, CustomStringConvertible {
        let path: String

        package var description: String {
            "The folder of operation files \(path) cannot be read. Make it, or correct the setting `operations`."
        }
    }

    private static func isOperation(_ name: String) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".yml") || name.hasSuffix(".yaml"))
    }

    private static func id(of name: String) -> String { String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]) }

    static func isID(_ id: String) -> Bool { OperationID.isValid(id) }

    /// Whether mistakes, which all readers of the pages see, may quote a file: not one that only a link brought into the
    /// folder, and not one without any key of operation files, such as a file of passwords.
    private static func mayQuote(_ text: String, of name: String, in folder: URL) -> Bool {
        guard !text.allSatisfy(\.isWhitespace) else { return true }
        let root = folder.resolvingSymlinksInPath().path
        let path = folder.appending(path: name).resolvingSymlinksInPath().path
        guard path.hasPrefix(root.hasSuffix("/") ? root : root + "/") else { return false }
        return text.split(whereSeparator: \.isNewline).contains { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let key = parts.first?.drop { " {\"'".contains($0) }.prefix { !"\"' ".contains($0) } ?? ""
            return parts.count == 2 && OperationKeys.names.contains(String(key))
        }
    }

    private static let unlike =
        "This is no file of an operation, or a link to a file outside the folder that has mistakes. They are not shown, "
        + "because everybody can read them here. Put the file itself into the folder, with at least its title and command."

    private static func text(of path: String, _ list: inout MistakeList) -> String? {
        do throws(RegularFile.Failure) {
            return try RegularFile.text(of: path, limit: YAMLText.limit)
        } catch {
            list.note(.start, words(error, remedy: "Put long scripts into files of their own and run these."))
            return nil
        }
    }

    private static func templates(in folder: URL, of ids: [String], _ mistakes: inout [FileMistake]) -> [String: String]
    {
        var templates: [String: String] = [:]
        for id in ids {
            let own = folder.appending(path: id, directoryHint: .isDirectory)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: own.path)) ?? []
            for name in names.filter({ $0.hasSuffix(".mustache") }).sorted().prefix(templateLimit) {
                do throws(RegularFile.Failure) {
                    templates["\(id)/\(name)"] = try RegularFile.text(
                        of: own.appending(path: name).path, limit: YAMLText.limit)
                } catch {
                    mistakes.append(
                        FileMistake(
                            file: "\(id)/\(name)", line: 1, column: 1,
                            detail: words(error, remedy: "Shorten the template.")))
                }
            }
        }
        return templates
    }

    private static func words(_ failure: RegularFile.Failure, remedy: String) -> String {
        switch failure {
        case .missing: "The file is not there. Correct the link to it, or remove the link."
        case .unreadable: "The file cannot be read. Let the user that the server runs as read it."
        case .notRegular: "This is a folder, a pipe or a device, and not a file. Remove it, or give it another name."
        case .tooLarge: "The file is larger than 256 KiB. \(remedy)"
        case .notText: "The file is not UTF-8 text."
        }
    }
}

extension OperationFolder {
    /// The SHA-256 of the operation's file, as 64 hexadecimal digits.
    package func digest(of id: String) -> String? { texts[id].map { Self.digest([$0]) } }

    /// The fingerprint of everything that pages show of the folder, as 16 hexadecimal digits.
    package func edition(_ lists: ChoiceLists) -> String {
        let parts = definitions.flatMap { definition in
            [definition.id, texts[definition.id] ?? ""] + (outdated[definition.id] ?? []).map(\.description)
        }
        return String(Self.digest(parts + otherParts + [lists.edition].filter { !$0.isEmpty }).prefix(16))
    }

    /// The fingerprint of the files in force, as 16 hexadecimal digits, in any order of the files.
    package var fingerprint: String {
        let parts = definitions.sorted { $0.id < $1.id }.flatMap { [$0.id, texts[$0.id] ?? ""] }
        return String(Self.digest(parts + otherParts).prefix(16))
    }

    private var otherParts: [String] {
        templates.merging(calendars) { $1 }.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    }

    private static func digest(_ texts: [String]) -> String {
        var hash = SHA256()
        for text in texts {
            hash.update(data: Array(text.utf8))
            hash.update(data: [0])
        }
        return Hex(hash.finalize()).text
    }
}

/// Tracks a folder of operation files, and reports complete changes.
///
/// Editors, rsync and git write files one after another, and some in parts. A change therefore counts only when two polls find
/// the same state, which is also the state after reading.
package struct FolderTracker: Sendable {
    let url: URL
    private let reserved: [String: [InputField]]
    private let limit: Int
    private let timezone: String?
    package private(set) var current: OperationFolder
    private var taken: FolderSignature?
    private var seen: FolderSignature?

    /// Reads the current contents of a folder, which may be missing if `isOptional`.
    ///
    /// `reserved` has the fields of other operations by their ids, which files cannot use; `limit` is the number of files read.
    /// `timezone` is the zone of schedules that name none.
    package init(
        _ url: URL, reserved: [String: [InputField]], isOptional: Bool = false,
        limit: Int = OperationFolder.standardLimit, timezone: String? = nil
    ) throws(OperationFolder.Unreadable) {
        self.url = url
        self.reserved = reserved
        self.limit = limit
        self.timezone = timezone
        let signature = FolderSignature(url, limit: limit)
        do {
            current = try OperationFolder(url, reserved: reserved, limit: limit, timezone: timezone)
        } catch {
            guard isOptional else { throw error }
            current = OperationFolder(empty: url)
        }
        // A folder that changed during reading is read again.
        if FolderSignature(url, limit: limit) == signature { taken = signature }
    }

    /// Polls the folder; returns the operations to apply, or nil if nothing has changed or the change is incomplete.
    ///
    /// `atOnce` reads the files without waiting for a second poll, and even if they are unchanged.
    package mutating func look(atOnce: Bool = false) -> OperationFolder? {
        let signature = FolderSignature(url, limit: limit)
        defer { seen = signature }
        guard atOnce || signature != taken && signature == seen else { return nil }
        let next: OperationFolder
        do {
            next = try OperationFolder(url, reserved: reserved, keeping: current, limit: limit, timezone: timezone)
        } catch {
            // A folder that never existed is not reported as missing.
            next =
                current.definitions.isEmpty && current.mistakes.isEmpty ? current : OperationFolder(vanished: current)
        }
        guard FolderSignature(url, limit: limit) == signature else { return nil }
        return next
    }

    package mutating func took(_ folder: OperationFolder) {
        current = folder
        taken = seen
    }
}

/// A fingerprint of a folder's file metadata, which is equal as long as no file changes.
///
/// It follows symbolic links, so it also changes when links are switched atomically, as Kubernetes does.
struct FolderSignature: Sendable, Hashable {
    private struct File: Hashable {
        let size: Int64
        let inode: UInt64
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// Nil for an unreadable folder.
    private let files: [String: File]?

    /// Examines enough items for `limit` operation files with their templates.
    init(_ folder: URL, limit: Int) {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            files = nil
            return
        }
        var files: [String: File] = [:]
        for name in names.sorted().prefix(4 * max(limit, OperationFolder.standardLimit)) where !name.hasPrefix(".") {
            let path = folder.appending(path: name).path
            if name.hasSuffix(".yml") || name.hasSuffix(".yaml") || CalendarFolder.isName(name) {
                files[name] = Self.file(path)
            } else if let templates = try? FileManager.default.contentsOfDirectory(atPath: path) {
                for template in templates.prefix(OperationFolder.templateLimit) where template.hasSuffix(".mustache") {
                    files["\(name)/\(template)"] = Self.file(path + "/" + template)
                }
            }
        }
        self.files = files
    }

    private static func file(_ path: String) -> File? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return File(
            size: Int64(clamping: status.st_size), inode: UInt64(clamping: status.st_ino),
            seconds: Int64(clamping: status.modified.tv_sec),
            nanoseconds: Int64(clamping: status.modified.tv_nsec))
    }
}
