import Foundation
import Testing
import TestSupport
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct BundleFileTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bundle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func `a file gets its name and replaces an older one once it is complete`() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("runs.jsonl").path
            try Data("old and longer\n".utf8).write(to: URL(fileURLWithPath: path))
            let file = try BundleFile(path: path)
            try file.write("new")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "old and longer\n")
            try file.finish()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "new\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["runs.jsonl"])
        }
    }

    @Test func `a pipe is not read, since an import reads twice, and nobody waits for it`() throws {
        try withFolder { folder in
            let file = folder.appending(path: "pipe")
            let pipe = try NamedPipe(at: file)
            let error = #expect(throws: StartError.self) {
                try BundleFile.reader(of: file.path, limit: ByteCount(clamping: 1_000))
            }
            #expect(error?.description.contains("Save the export as a file first") == true)
            withExtendedLifetime(pipe) {}
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

    @Test func `what is written goes to the disk piece by piece, however long the export is`() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("runs.jsonl").path
            let file = try BundleFile(path: path)
            let line = String(repeating: "x", count: 999)
            for _ in 0..<200 { try file.write(line) }
            let written = try FileManager.default.attributesOfItem(atPath: path + ".part")[.size] as? Int ?? 0
            #expect(written > 100_000)
            try file.finish()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == String(repeating: line + "\n", count: 200))
        }
    }

    @Test func `a piece that is just full is on the disk at once`() throws {
        try withFolder { folder in
            let path = folder.appendingPathComponent("runs.jsonl").path
            let file = try BundleFile(path: path)
            try file.write(String(repeating: "x", count: 65_535))
            #expect(try FileManager.default.attributesOfItem(atPath: path + ".part")[.size] as? Int == 65_536)
            try file.finish()
        }
    }
}
