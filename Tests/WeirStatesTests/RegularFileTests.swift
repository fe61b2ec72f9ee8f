import Foundation
import Testing
import TestSupport
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct RegularFileTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func failure(_ file: URL, limit: Int = 100) -> RegularFile.Failure? {
        do throws(RegularFile.Failure) {
            _ = try RegularFile.text(of: file.path, limit: limit)
            return nil
        } catch {
            return error
        }
    }

    @Test func `what is no file is not waited for, also behind a link`() throws {
        try withFolder { folder in
            let place = folder.appending(path: "pipe")
            let pipe = try NamedPipe(at: place)
            let link = folder.appending(path: "link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place)
            for file in [place, link, folder, URL(filePath: "/dev/zero"), URL(filePath: "/dev/null")] {
                #expect(failure(file) == .notRegular, "\(file.path)")
            }
            withExtendedLifetime(pipe) {}
        }
    }

    @Test func `a file that is not there, or to which a link does not lead, is missing`() throws {
        try withFolder { folder in
            #expect(failure(folder.appending(path: "none")) == .missing)
            let link = folder.appending(path: "link")
            try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "none")
            #expect(failure(link) == .missing)
        }
    }

    @Test func `no more of a file is read than it may have`() throws {
        try withFolder { folder in
            let file = folder.appending(path: "file")
            try Data(repeating: 0x61, count: 100).write(to: file)
            #expect(try RegularFile.text(of: file.path, limit: 100).utf8.count == 100)
            #expect(failure(file, limit: 99) == .tooLarge)
            try Data().write(to: file)
            #expect(try RegularFile.text(of: file.path, limit: 0) == "", "an empty file is one")
        }
    }

    @Test func `a text begins after its byte order mark, and must be UTF-8`() throws {
        try withFolder { folder in
            let file = folder.appending(path: "file")
            for (bytes, text) in [([0xEF, 0xBB, 0xBF, 0x61], "a"), ([0x61], "a"), ([0xEF, 0xBB, 0xBF], "")]
                as [([UInt8], String)]
            {
                try Data(bytes).write(to: file)
                #expect(try RegularFile.text(of: file.path, limit: 100) == text)
            }
            try Data([0xFF, 0xFE, 0x61]).write(to: file)
            #expect(failure(file) == .notText)
        }
    }
}
