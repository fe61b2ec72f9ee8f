import Foundation
import Testing

@testable import WeirCommand

struct BundleFileTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bundle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func `a file gets its name and replaces an older one once it is complete`() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("runs.jsonl").path
            try Data("old".utf8).write(to: URL(fileURLWithPath: path))
            let file = try BundleFile(path: path)
            try file.write("new")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
            try file.finish()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "new\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["runs.jsonl"])
        }
    }

    @Test func `a device is written to, never replaced by a file`() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("nowhere").path
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
            let file = try BundleFile(path: path)
            try file.write("gone")
            try file.finish()
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "/dev/null")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["nowhere"])
        }
    }
}
