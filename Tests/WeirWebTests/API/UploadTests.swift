import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct UploadTests {
    private static let runs = "/api/v1/operations/keep/runs"
    private static let multipart = "Content-Type: multipart/form-data; boundary=b"

    private static func part(_ name: String, _ value: String) -> String {
        "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
    }

    private static func file(_ content: String, name: String = "f.bin") -> String {
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n\r\n\(content)\r\n"
    }

    private static func end(of run: String, _ server: TestServer) async throws -> JSONValue {
        await server.board.outcome(of: run)
        return try await server.ask("GET", "/api/v1/runs/" + run).json()
    }

    @Test func `a form with a file, and a file alone, arrive whole`() async throws {
        try await TestServer.run { server in
            let content = (0..<20_000).map { "line \($0)\r\n" }.joined()
            var sum: UInt32 = 0
            for byte in content.utf8 { sum = sum &* 31 &+ UInt32(byte) }
            let form = try await server.ask(
                "POST", Self.runs, headers: [Self.multipart],
                body: Self.part("destination", "here") + Self.file(content, name: "../a b.txt") + Self.part("x", "")
                    + "--b--\r\n")
            #expect(form.status == 201)
            let run = try await Self.end(of: try #require(try form.json()["id"]?.string), server)
            #expect(run["case"] == "kept")
            #expect(
                run["state"] == [
                    "filename": "a b.txt", "destination": "here", "bytes": .integer(Int64(content.utf8.count)),
                    "sum": .integer(Int64(sum)),
                ])
            let raw = try await server.ask(
                "POST", Self.runs + "?filename=a.txt&destination=there", headers: ["Content-Type: text/plain"],
                body: content)
            #expect(raw.status == 201)
            let other = try await Self.end(of: try #require(try raw.json()["id"]?.string), server)
            #expect(other["state"]?["destination"] == "there")
            #expect(other["state"]?["sum"] == .integer(Int64(sum)))
            #expect(other["input"]?["file"]?["length"] == .integer(Int64(content.utf8.count)))
            #expect(other["input"]?["file"]?["contentType"] == "text/plain")
        }
    }

    @Test func `a body that stops half way makes the run fail in words`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            try await connection.send(
                raw: "POST \(Self.runs)?filename=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf")
            try await until { !server.board.view().recentRuns.isEmpty }
            let id = server.board.view().recentRuns[0].record.id
            await connection.close()
            let run = try await Self.end(of: id, server)
            #expect(run["phase"] == "failed")
            #expect(
                run["state"]?["message"]
                    == "The sender stopped before the end: 4 of 1000 bytes had arrived. Send the file again.")
        }
    }

    @Test func `a chunked body that stops half way makes the run fail too`() async throws {
        try await TestServer.run { server in
            let connection = try await server.connect()
            try await connection.send(
                raw:
                    "POST \(Self.runs)?filename=a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
            )
            try await until { !server.board.view().recentRuns.isEmpty }
            let id = server.board.view().recentRuns[0].record.id
            await connection.close()
            #expect(try await Self.end(of: id, server)["phase"] == "failed")
        }
    }

    @Test func `a form that says how long its file is shows how far that is, and holds the file to it`() async throws {
        let body = [
            "--b\r\nContent-Disposition: form-data; name=\"destination\"\r\n\r\nhere\r\n",
            "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nwhole\r\n--b--\r\n",
        ].joined()
        try await TestServer.run { server in
            let answer = try await server.ask(
                "POST", Self.runs, headers: [Self.multipart, "Upload-Length: 5"], body: body)
            #expect(answer.status == 201)
            #expect(try answer.json()["input"]?["file"]?["length"] == 5)
            for wrong in ["-1", "many", "5.0", "99999999999999999999"] {
                let refused = try await server.ask(
                    "POST", Self.runs, headers: [Self.multipart, "Upload-Length: \(wrong)"], body: body)
                #expect(try refused.json()["type"] == "urn:weir:problem:malformed-header")
            }
        }
    }

    @Test func `a run that ends before its file lets the sender go`() async throws {
        try await TestServer.run(holdUploads: true) { server in
            let connection = try await server.connect()
            try await connection.send(
                raw: "POST \(Self.runs)?filename=a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
                    + String(repeating: "a", count: 300_000))
            try await until { !server.board.view().recentRuns.isEmpty }
            let id = server.board.view().recentRuns[0].record.id
            _ = try await server.board.cancel(id, actor: "test")
            let answer = try await connection.response()
            #expect(answer.status == 201)
            #expect(answer["connection"] == "close")
            #expect(try answer.json()["phase"] == "cancelled")
        }
    }

    @Test(arguments: [
        "", "nonsense", "--b\r\n\r\n", "--c\r\n", "--b--x",
        "--b\r\nContent-Disposition: form-data; name=\"other\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n",
        "--b\r\nContent-Disposition: form-data; name=\"destination\"\r\n\r\n\u{fffd}",
    ])
    func `a hostile form is refused before anything runs`(body: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.ask("POST", Self.runs, headers: [Self.multipart], body: body)
            #expect(answer.status == 400)
            #expect(try answer.json()["type"] == "urn:weir:problem:malformed-body")
            #expect(server.board.view().recentRuns.isEmpty)
        }
    }

    @Test func `a form broken behind its file, or with a value there, makes the run fail in words`() async throws {
        try await TestServer.run { server in
            for (rest, words) in [
                ("--b--x", "There is text after the last boundary."),
                (Self.part("destination", "late") + "--b--\r\n", "The field “destination” came after the file"),
            ] {
                let answer = try await server.ask(
                    "POST", Self.runs, headers: [Self.multipart], body: Self.file("abc") + rest)
                let run = try await Self.end(of: try #require(try answer.json()["id"]?.string), server)
                #expect(run["phase"] == "failed")
                #expect(run["state"]?["message"]?.string?.hasPrefix(words) == true)
            }
        }
    }

    @Test func `a form without its file names the field, and an upload with a key can be repeated`() async throws {
        try await TestServer.run { server in
            let empty = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n--b--\r\n"
            let missing = try await server.ask("POST", Self.runs, headers: [Self.multipart], body: empty)
            #expect(missing.status == 422)
            #expect(try missing.json()["errors"]?.array?.first?["field"] == "file")
            let headers = [Self.multipart, "Idempotency-Key: k1"]
            let first = try await server.ask("POST", Self.runs, headers: headers, body: Self.file("abc") + "--b--\r\n")
            let again = try await server.ask("POST", Self.runs, headers: headers, body: Self.file("abc") + "--b--\r\n")
            #expect(first.status == 201)
            #expect(again.status == 201)
            #expect(try first.json()["id"] == again.json()["id"])
        }
    }

    @Test func `an upload beyond the limit is refused`() async throws {
        var configuration = WebConfiguration()
        configuration.maximumUploadBytes = 10
        try await TestServer.run(configuration: configuration) { server in
            let raw = try await server.ask("POST", Self.runs + "?filename=a", body: "01234567890")
            #expect(raw.status == 413)
        }
    }
}
