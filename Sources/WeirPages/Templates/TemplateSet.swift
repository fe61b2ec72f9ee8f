public import Foundation
import WeirStates

/// The texts of all templates and strings: the bundled ones, with a folder of one's own laid over them file by file.
///
/// Loading is the only time that files are read. What is wrong inside a file is no error here: pages show it in its
/// place, and `PageRenderer.check()` reports it.
public struct TemplateSet: Sendable {
    /// One layer of a locale's strings.
    struct Table: Sendable {
        /// The file's name without `.json`.
        let name: String
        /// The file's path relative to the folder.
        let file: String
        /// The file's text.
        let text: String
    }

    /// The text of each template by its path relative to the folder.
    let files: [String: String]
    /// The templates of the folder that was laid over the bundled ones.
    let own: Set<String>
    /// The bundled texts that the overlay took the place of.
    let covered: [String: String]
    /// The tables of strings, bundled ones first: these are laid over each other key by key.
    let tables: [Table]
    /// Files that could not be read as text.
    let problems: [TemplateProblem]

    /// Reads the bundled templates and lays the folder's files over them.
    ///
    /// - Parameter overlay: A folder laid out as `Templates`; only the files it has take the place of the bundled ones,
    ///   and of its strings only the keys it has.
    /// - Throws: `TemplateSetError` when a folder cannot be listed.
    public init(overlay: URL? = nil) throws { try self.init(overlay: overlay, declared: DeclaredTexts()) }

    /// Reads the bundled templates, lays over them what operations declare, and over that the folder's files.
    ///
    /// - Parameters:
    ///   - overlay: A folder laid out as `Templates`.
    ///   - declared: The templates and texts of operations that files declare, and what is wrong with their files.
    /// - Throws: `TemplateSetError` when a folder cannot be listed.
    package init(overlay: URL?, declared: DeclaredTexts) throws {
        let own = try Self.read(Self.bundled)
        let other = try overlay.map(Self.read) ?? Folder()
        let languages = (Array(own.files.keys) + other.files.keys).filter {
            $0.hasPrefix("strings/") && $0.hasSuffix(".json")
        }.map { String($0.dropFirst(8).dropLast(5)) }
        self.init(
            bundled: own.files, overlay: declared.templates.merging(other.files) { $1 },
            declared: declared.tables(languages: Set(languages)),
            problems: own.problems + other.problems + declared.problems)
    }

    /// Creates a set of texts at hand, by path.
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
        self.problems = problems
    }

    /// The most bytes of a file.
    private static let fileLimit = 1 << 20

    private struct Folder {
        var files: [String: String] = [:]
        var problems: [TemplateProblem] = []
    }

    /// The bundled folder.
    static var bundled: URL {
        Bundle.module.bundleURL.appendingPathComponent("Templates", isDirectory: true)
    }

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

/// A folder of templates that cannot be used.
public struct TemplateSetError: Error, Sendable, CustomStringConvertible {
    /// The folder's path, for the operator who configured it.
    package let folder: String

    /// What is wrong and what to do.
    public var description: String {
        "The folder of templates \(folder) cannot be read. Use a folder with the layout of Templates, or leave it out."
    }
}
