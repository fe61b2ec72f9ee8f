public import Foundation

/// A state saved in a file, which is replaced as a whole each time.
public struct SavedStateFile: SavedState {
    private let file: URL

    /// Saves in that file; its folder must exist.
    public init(_ file: URL) {
        self.file = file
    }

    /// The file's bytes, or nil if there is no file.
    public func load() throws -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try Data(contentsOf: file)
    }

    /// Writes the bytes to a file beside it, which then replaces it.
    public func save(_ bytes: Data) throws {
        try bytes.write(to: file, options: .atomic)
    }

    /// Copies the bytes to a file beside it, under an unused name.
    public func setAside(_ bytes: Data) throws -> String {
        var number = 1
        func name(_ number: Int) -> URL { file.appendingPathExtension("unreadable-\(number)") }
        while FileManager.default.fileExists(atPath: name(number).path) { number += 1 }
        try bytes.write(to: name(number), options: .withoutOverwriting)
        return name(number).lastPathComponent
    }
}
