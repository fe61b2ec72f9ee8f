import Foundation

/// A folder of a test's own, gone with it.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/weir-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(path)") }
    }

    /// The paths of all files in it, from it, in order.
    var files: [String] {
        var found: [String] = []
        var isFolder: ObjCBool = false
        for name in FileManager.default.subpaths(atPath: path) ?? [] {
            let exists = FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
            if exists && !isFolder.boolValue { found.append(name) }
        }
        return found.sorted()
    }

    func write(_ name: String, _ bytes: Data = Data("x".utf8)) throws {
        let url = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: url)
    }

    func read(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)) }
}
