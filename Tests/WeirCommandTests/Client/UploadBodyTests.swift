import Foundation
import NIOCore
import Testing

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15)))
struct UploadBodyTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "weir-form-\(UUID().uuidString)")

    private func upload(_ name: String) throws -> UploadBody {
        try UploadBody(
            fields: [("table", "a b")], file: "dump", path: folder.appending(path: name).path, boundary: "B")
    }

    @Test func `a file is sent as a form that is as long as it was said to be`() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let content = String(repeating: "x", count: 100_000)
        try Data(content.utf8).write(to: folder.appending(path: "a \"b\".sql"))
        let upload = try upload("a \"b\".sql")
        var text = ""
        for try await piece in upload { text += String(buffer: piece) }
        #expect(
            text == """
                --B\r
                Content-Disposition: form-data; name="table"\r
                \r
                a b\r
                --B\r
                Content-Disposition: form-data; name="dump"; filename="a %22b%22.sql"\r
                Content-Type: application/octet-stream\r
                \r
                \(content)\r
                --B--\r

                """)
        #expect(upload.length == Int64(text.utf8.count))
    }

    @Test func `a file that changes while it is sent never makes the form longer or shorter than it was said to be`()
        async throws
    {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.sql")
        try Data(repeating: 120, count: 100_000).write(to: file)
        let upload = try upload("a.sql")
        try Data(repeating: 121, count: 200_000).write(to: file)
        var count: Int64 = 0
        for try await piece in upload { count += Int64(piece.readableBytes) }
        #expect(count == upload.length)
        try Data(repeating: 122, count: 70_000).write(to: file)
        await #expect(throws: ClientError.self) { for try await _ in upload {} }
    }

    @Test func `a folder, and what is not there, cannot be sent as a file`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["", "none.sql"] {
            let error = #expect(throws: ClientError.self) { try upload(name) }
            #expect(error?.description.contains("cannot be read") == true)
        }
    }
}
