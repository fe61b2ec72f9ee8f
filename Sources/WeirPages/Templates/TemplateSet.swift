public import Foundation
import WeirStates

/// The texts of all templates and strings: the bundled ones, overridden file by file by an overlay folder.
///
/// Files are read only on loading. Problems inside a file are not errors here: pages show them in place of the template,
/// and `PageRenderer.check()` reports them.
public struct TemplateSet: Sendable {
    struct Table: Sendable, Equatable {
        let name: String
        /// The file's path relative to the folder.
        let file: String
        let text: String
    }

    let files: [String: String]
    let own: Set<String>
    /// Whether an overlay or an operation's file adds or overrides a template or a table of strings of the pages.
    let isOverridden: Bool
    /// The bundled texts that the overlay overrides.
    let covered: [String: String]
    /// The tables of strings, bundled ones first; later tables override earlier ones key by key.
    let tables: [Table]
    /// Files that could not be read as text.
    let problems: [TemplateProblem]

    /// Reads the bundled templates, and overrides them with the files of a folder.
    ///
    /// - Parameter overlay: A folder with the layout of `Templates`; its templates override bundled ones file by file, its
    ///   strings key by key.
    /// - Throws: ``TemplateSetError`` if a folder cannot be listed.
    public init(overlay: URL? = nil) throws { try self.init(overlay: overlay, declared: DeclaredTexts()) }

    /// Reads the bundled templates, and overrides them with declared ones, and those with the files of a folder.
    ///
    /// - Parameters:
    ///   - overlay: A folder with the layout of `Templates`.
    ///   - declared: The templates and texts of operations that files declare, and the problems of those files.
    /// - Throws: ``TemplateSetError`` if a folder cannot be listed.
    package init(overlay: URL?, declared: DeclaredTexts) throws {
        let own = try Self.bundledFolder.get()
        let other = try overlay.map(Self.read) ?? Folder()
        let languages = (Array(own.files.keys) + other.files.keys).filter {
            $0.hasPrefix("strings/") && $0.hasSuffix(".json")
        }.map { String($0.dropFirst(8).dropLast(5)) }
        self.init(
            bundled: own.files, overlay: declared.templates.merging(other.files) { $1 },
            declared: declared.tables(languages: Set(languages)),
            problems: own.problems + other.problems + declared.problems)
    }

    init(
        bundled: [String: String], overlay: [String: String] = [:], declared: [Table] = [],
        problems: [TemplateProblem] = []
    ) {
        let isTemplate = { (file: (key: String, value: String)) in file.key.hasSuffix(".mustache") }
        files = bundled.filter(isTemplate).merging(overlay.filter(isTemplate)) { $1 }
        own = Set(overlay.filter(isTemplate).keys)
        covered = bundled.filter { isTemplate($0) && overlay[$0.key] != nil }
        let layers = [bundled, overlay].map { layer in
            layer.filter { $0.key.hasPrefix("strings/") && $0.key.hasSuffix(".json") }
                .sorted { $0.key < $1.key }
                .map { Table(name: String($0.key.dropFirst(8).dropLast(5)), file: $0.key, text: $0.value) }
        }
        tables = layers[0] + declared + layers[1]
        isOverridden = !own.isEmpty || !layers[1].isEmpty
        self.problems = problems
    }

    private static let fileLimit = 1 << 20

    private struct Folder: Sendable {
        var files: [String: String] = [:]
        var problems: [TemplateProblem] = []
    }

    static var bundled: URL {
        Bundle.module.bundleURL.appendingPathComponent("Templates", isDirectory: true)
    }

    private static let bundledFolder = Result { try read(bundled) }

    private static func read(_ folder: URL) throws -> Folder {
        // An enumerator does not enter a folder that is a symbolic link.
        let url = folder.resolvingSymlinksInPath()
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), isDirectory.boolValue,
            let names = FileManager.default.enumerator(atPath: url.path)
        else { throw TemplateSetError(folder: url.path) }
        var read = Folder()
        for case let name as String in names where name.hasSuffix(".mustache") || name.hasSuffix(".json") {
            do throws(RegularFile.Failure) {
                read.files[name] = try RegularFile.text(of: url.appendingPathComponent(name).path, limit: fileLimit)
            } catch {
                let message =
                    switch error {
                    case .missing, .unreadable: "cannot be read"
                    case .notRegular: "is a folder, a pipe or a device, and not a file"
                    case .tooLarge: "is larger than 1 MiB"
                    case .notText: "is not UTF-8 text"
                    }
                read.problems.append(TemplateProblem(file: name, line: 0, message: message))
            }
        }
        return read
    }
}

/// The error of a folder of templates that cannot be read.
public struct TemplateSetError: Error, Sendable, CustomStringConvertible {
    let folder: String

    /// The cause and the remedy.
    public var description: String {
        "The folder of templates \(folder) cannot be read. Use a folder with the layout of Templates, or leave it out."
    }
}

/// A problem of a template or a table of strings, with its location.
public struct TemplateProblem: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The file, relative to its folder of templates, such as `operations/greeting/success.mustache`.
    let file: String
    /// The line, from 1, or 0 for the whole file.
    let line: Int
    /// The column, from 1, or 0 for the whole line.
    let column: Int
    /// The problem and its remedy, in a sentence.
    package let message: String

    package init(file: String, line: Int, column: Int = 0, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// The problem in the format of compilers: `file:line: message`.
    public var description: String { "\(place): \(message)" }

    /// The file, with line and column if they are known.
    package var place: String {
        column > 0 ? "\(file):\(line):\(column)" : line > 0 ? "\(file):\(line)" : file
    }

    /// Compares by file, then line, column and message.
    public static func < (left: TemplateProblem, right: TemplateProblem) -> Bool {
        (left.file, left.line, left.column, left.message) < (right.file, right.line, right.column, right.message)
    }
}

/// The templates and texts of operations that files declare.
///
/// They override the bundled templates and strings, and those of an overlay override them.
package struct DeclaredTexts: Sendable {
    /// Templates by path, such as `operations/backup/dumping.mustache`.
    package var templates: [String: String] = [:]
    package var texts: [String: [String: String]] = [:]
    package var problems: [TemplateProblem] = []

    package init() {}

    /// A table for each language of the pages, with every text in that language, a related one, English, or the first
    /// available.
    ///
    /// Languages that only the texts have get no table, because most of the page would be in English.
    func tables(languages: Set<String>) -> [TemplateSet.Table] {
        guard !texts.isEmpty else { return [] }
        return languages.sorted().map { language in
            let chosen = texts.compactMapValues { Self.text($0, in: language).map(JSONValue.string) }
            let text = (try? JSONValue.object(chosen).text()) ?? "{}"
            return TemplateSet.Table(name: language, file: "operations", text: text)
        }
    }

    private static func text(_ texts: [String: String], in language: String) -> String? {
        let base = { (tag: String) in tag.prefix { $0 != "-" } }
        return texts[language] ?? texts.sorted { $0.key < $1.key }.first { base($0.key) == base(language) }?.value
            ?? texts["en"] ?? texts.min { $0.key < $1.key }?.value
    }
}
