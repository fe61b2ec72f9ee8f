public import Foundation

/// The texts of all templates and strings: the bundled ones, with a folder of one's own laid over them file by file.
///
/// Loading is the only time that files are read. What is wrong inside a file is no error here: pages show it in its
/// place, and `PageRenderer.check()` reports it.
public struct TemplateSet: Sendable {
    /// The text of each file by its path relative to the folder.
    let files: [String: String]
    /// Files that could not be read as text.
    let problems: [TemplateProblem]

    /// Reads the bundled templates and lays the folder's files over them.
    ///
    /// Throws `TemplateSetError` when a folder cannot be listed.
    /// - Parameter overlay: A folder laid out as `Templates`; only the files it has take the place of the bundled ones.
    public init(overlay: URL? = nil) throws {
        var files: [String: String] = [:]
        var problems: [TemplateProblem] = []
        for folder in [Self.bundled, overlay].compactMap({ $0 }) {
            try Self.read(folder, into: &files, problems: &problems)
        }
        self.files = files
        self.problems = problems
    }

    /// Makes a set of texts at hand, by path.
    init(files: [String: String]) {
        self.files = files
        problems = []
    }

    /// The bundled folder.
    static var bundled: URL {
        Bundle.module.bundleURL.appendingPathComponent("Templates", isDirectory: true)
    }

    private static func read(
        _ folder: URL, into files: inout [String: String], problems: inout [TemplateProblem]
    ) throws {
        let path = folder.path
        guard let names = FileManager.default.enumerator(atPath: path) else { throw TemplateSetError(folder: path) }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw TemplateSetError(folder: path)
        }
        for case let name as String in names where name.hasSuffix(".mustache") || name.hasSuffix(".json") {
            do {
                let data = try Data(contentsOf: folder.appendingPathComponent(name))
                guard let text = String(validating: data, as: UTF8.self) else {
                    problems.append(TemplateProblem(file: name, line: 0, message: "is not UTF-8 text"))
                    continue
                }
                files[name] = text
            } catch {
                problems.append(TemplateProblem(file: name, line: 0, message: "cannot be read"))
            }
        }
    }
}
