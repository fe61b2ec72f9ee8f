import Foundation

/// A folder that is there for the length of a test.
struct TemporaryFolder {
    let url: URL

    static func with(_ body: (TemporaryFolder) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let result: Result<Void, any Error>
        do { result = .success(try await body(TemporaryFolder(url: url))) } catch { result = .failure(error) }
        try FileManager.default.removeItem(at: url)
        try result.get()
    }

    func file(_ name: String) -> String { url.appendingPathComponent(name).path }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
