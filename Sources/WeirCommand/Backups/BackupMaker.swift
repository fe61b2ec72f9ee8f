import Foundation
import WeirAccess
import WeirJournals
import WeirStates

/// Makes a backup of a data folder, also while a server writes to it.
///
/// Each database is copied as it is at one moment. The copies of messages and users are made before that of the journal, and
/// the audit is read last, so that it has everything that the others refer to.
struct BackupMaker: Sendable {
    struct Result: Sendable {
        let manifest: BackupManifest
        let bytes: Int64
        /// Sentences about what the backup does not contain.
        let omitted: [String]
    }

    private let settings: Settings
    private let config: String?
    private let folder: DataFolder
    private let key: BackupKey?
    private let now: Timestamp

    /// Creates a maker; `config` is the settings file, or nil for `weir.yml`.
    init(_ settings: Settings, config: String?, key: BackupKey?, now: Timestamp) {
        self.settings = settings
        self.config = config
        folder = DataFolder(settings)
        self.key = key
        self.now = now
    }

    /// Writes a backup to a file, which it replaces once the backup is complete; blocks on the disk.
    ///
    /// Throws `StartError`, and then leaves nothing behind.
    func make(_ file: String) throws -> Result {
        let place = JournalPlace(settings)
        guard FileManager.default.fileExists(atPath: folder.url.path) else {
            throw StartError.missing("There is no data folder \(folder.url.path). Name the server's with --data.")
        }
        if case .file = place, !FileManager.default.fileExists(atPath: folder.journal) {
            throw StartError.missing(
                "There is no journal in \(folder.url.path). Set the server's data folder with --data.")
        }
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), isFolder.boolValue {
            throw StartError.misconfigured("\(file) is a folder. Name a file in it.")
        }
        let work = URL(fileURLWithPath: "\(file).unfinished-\(JournalEpoch.make())", isDirectory: true)
        let created: [URL]
        do { created = try NewFile.folder(work) } catch {
            throw StartError.unavailable("\(file) cannot be written there. \(error)")
        }
        defer {
            remove(work)
            // Those that have the backup stay.
            NewFile.removeEmpty(created)
        }
        let result = try write(place, in: work)
        try NewFile.move(work.appending(path: "backup").path, to: file)
        return result
    }

    private func write(_ place: JournalPlace, in work: URL) throws -> Result {
        var manifest = BackupManifest(
            weir: RootCommand.version, created: now, machine: JournalPlace.machine, journalPlace: place.word)
        var copies: [String] = []
        func copy(_ name: String) throws {
            let path = folder.url.appending(path: name).path
            guard FileManager.default.fileExists(atPath: path) else { return }
            do {
                try SQLiteSnapshot.copy(path, to: work.appending(path: name).path)
            } catch let error as POSIXError {
                throw NewFile.failure(work.deletingLastPathComponent().path, error)
            } catch {
                throw StartError.unavailable("\(path) cannot be copied. \(Self.words(error))")
            }
            copies.append(name)
        }
        try copy("deliveries.sqlite")
        try copy("access.sqlite")
        if case .file = place { try copy("journal.sqlite") }
        do {
            try manifest.count(in: work)
        } catch {
            throw StartError.unavailable("The copies of \(folder.url.path) cannot be read. \(Self.words(error))")
        }
        let audit = try copyAudit(to: work, &manifest)
        let writer = try BackupWriter(path: work.appending(path: "backup").path, key: key, manifest: manifest)
        for name in copies {
            let copy = work.appending(path: name)
            try BackupName(name).map { try writer.add($0, file: copy) }
            // Makes room before the next one.
            remove(copy)
        }
        for name in ["secrets.json", "settings.json"] {
            let file = folder.url.appending(path: name)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            try BackupName(name).map { try writer.add($0, file: file) }
        }
        for (name, file) in audit { try writer.add(name, file: file) }
        try addConfiguration(to: writer)
        let omitted = try addUploads(to: writer) + place.omitted
        let (complete, bytes) = try writer.finish()
        return Result(manifest: complete, bytes: bytes, omitted: omitted)
    }

    /// Copies the files of the audit, whose last one can grow, up to their last whole lines, and verifies them.
    private func copyAudit(to work: URL, _ manifest: inout BackupManifest) throws -> [(BackupName, URL)] {
        let folder = AccessFiles(folder).audit
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let target = work.appending(path: "audit", directoryHint: .isDirectory)
        do {
            try NewFile.folder(target)
            var files: [(BackupName, URL)] = []
            let days = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            // Anchors that are added later would refer to lines that are not read any more, so they are read first.
            for file in ["anchors"] + days.filter({ $0.hasSuffix(".audit") }) {
                let url = folder.appending(path: file)
                guard let name = BackupName("audit/\(file)"), let size = try Self.wholeLines(url) else { continue }
                let copy = target.appending(path: file)
                try Self.copy(url, to: copy, size: size)
                files.append((name, copy))
            }
            manifest.audit = .init(try AuditVerification(folder: target))
            return files
        } catch let error as StartError {
            throw error
        } catch {
            throw StartError.unavailable("The audit in \(folder.path) cannot be read. Run this as the server's user.")
        }
    }

    private static func copy(_ file: URL, to copy: URL, size: Int64) throws {
        let (source, target) = (try RegularFile.open(file.path), try NewFile.create(copy.path))
        var left = size
        while left > 0, let bytes = try source.read(upToCount: Int(clamping: min(left, 262_144))) {
            do { try target.write(contentsOf: bytes) } catch { throw NewFile.failure(copy.path, error) }
            left -= Int64(bytes.count)
        }
        try target.close()
    }

    /// The size of a file up to its last line feed; nil if there is no file.
    private static func wholeLines(_ file: URL) throws -> Int64? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let handle = try RegularFile.open(file.path)
        var end = try handle.seekToEnd()
        while end > 0 {
            let start = end - min(end, 65_536)
            try handle.seek(toOffset: start)
            let bytes = try handle.read(upToCount: Int(clamping: end - start)) ?? Data()
            if let last = bytes.lastIndex(of: UInt8(ascii: "\n")) {
                return Int64(clamping: start) + Int64(last - bytes.startIndex) + 1
            }
            end = start
        }
        return 0
    }

    /// Adds the settings file and the operation files, for comparison with those of the place of a restore.
    private func addConfiguration(to writer: BackupWriter) throws {
        let file = URL(fileURLWithPath: config ?? "weir.yml")
        if settings.file != nil, let name = BackupName("configuration/weir.yml") { try writer.add(name, file: file) }
        let folder = OperationFolderService.folder(settings, config: config)
        guard let paths = FileManager.default.enumerator(atPath: folder.path) else { return }
        for case let path as String in paths {
            if paths.level > 2 { paths.skipDescendants() }
            let attributes = paths.fileAttributes
            guard [".yml", ".yaml", ".mustache"].contains(where: path.hasSuffix),
                attributes?[.type] as? FileAttributeType == .typeRegular,
                (attributes?[.size] as? NSNumber)?.int64Value ?? .max <= Self.configurationBytes,
                let name = BackupName("configuration/operations/\(path)")
            else { continue }
            try writer.add(name, file: folder.appending(path: path))
        }
    }

    private static let configurationBytes: Int64 = 1 << 20

    /// Adds the uploaded files, and returns a sentence if they are elsewhere.
    private func addUploads(to writer: BackupWriter) throws -> [String] {
        if let place = settings.text("upload.destination") {
            return ["Uploaded files are in \(place) and not in the backup. Back up that folder by other means."]
        }
        let archive = folder.url.appending(path: "archive", directoryHint: .isDirectory)
        guard let names = FileManager.default.enumerator(atPath: archive.path) else { return [] }
        var omitted = 0
        for case let path as String in names {
            let file = archive.appending(path: path)
            // A hidden file is an upload that has not ended.
            guard names.fileAttributes?[.type] as? FileAttributeType == .typeRegular,
                !file.lastPathComponent.hasPrefix(".")
            else { continue }
            guard let name = BackupName("archive/\(path)") else {
                omitted += 1
                continue
            }
            do {
                try writer.add(name, file: file)
            } catch  where !FileManager.default.fileExists(atPath: file.path) {
                // Removed in the meantime, before it was read.
                continue
            }
        }
        return omitted == 0
            ? [] : ["\(omitted) uploaded files have names that no upload gives, and are not in the backup."]
    }

    private func remove(_ url: URL) {
        // What is left has a name that says that it is unfinished.
        do { try FileManager.default.removeItem(at: url) } catch { _ = error }
    }

    static func words(_ error: any Error) -> String {
        guard let error = error as? JournalError else { return VisibleText.line(String("\(error)".prefix(1_000))) }
        return error.cause.map { "\(error) (\($0))" } ?? "\(error)"
    }
}

extension JournalPlace {
    var word: String {
        switch self {
        case .memory: "memory"
        case .file: "sqlite"
        case .database: "postgresql"
        }
    }

    fileprivate var omitted: [String] {
        switch self {
        case .file: []
        case .memory: ["The journal is in memory and not in the backup: it is gone when its server stops."]
        case .database:
            [
                "The journal and the users are in PostgreSQL and not in the backup. Back up the database as well: pg_dump "
                    + "--format=custom --file=weir.dump DATABASE"
            ]
        }
    }
}

extension BackupManifest {
    /// Counts the contents of databases that no one writes; throws `JournalError` and `DatabaseError`.
    mutating func count(in folder: URL) throws {
        journal = try Self.path("journal.sqlite", in: folder).map { try JournalInspection(path: $0) }
        try countRecords(in: folder)
    }

    /// Counts the users, tokens and waiting messages; throws `DatabaseError`.
    mutating func countRecords(in folder: URL) throws {
        access = try Self.path("access.sqlite", in: folder).map { path in
            let counts = try SQLiteSnapshot.numbers(
                path, ["user", "token"].map { "SELECT count(*) FROM record WHERE kind = '\($0)'" })
            return Access(users: counts.first ?? 0, tokens: counts.last ?? 0)
        }
        waitingMessages = try Self.path("deliveries.sqlite", in: folder).flatMap {
            try SQLiteSnapshot.numbers($0, ["SELECT count(*) FROM delivery WHERE status = 'waiting'"]).first
        }
    }

    private static func path(_ name: String, in folder: URL) -> String? {
        let path = folder.appending(path: name).path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }
}
