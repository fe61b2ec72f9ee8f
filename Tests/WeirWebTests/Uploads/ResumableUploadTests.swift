import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The tus protocol, rule by rule, over the wire.
@Suite(.timeLimit(.minutes(15)))
struct ResumableUploadTests {
    static let uploads = "/api/v1/operations/keep/uploads"
    static let version = "Tus-Resumable: 1.0.0"

    /// The name of a file, `a.bin`, and a destination, `here`.
    static let metadata = "Upload-Metadata: filename YS5iaW4=,destination aGVyZQ=="

    /// Runs a test against a server that keeps its uploads in a folder of its own.
    static func run(
        in folder: URL? = nil, limits: UnfinishedUploadLimits = .init(), maximum: Int64? = nil,
        clock: (any WaitClock)? = nil, holdUploads: Bool = false, access: DashboardAccess<DashboardContext> = .open,
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let own = FileManager.default.temporaryDirectory.appending(path: "weir-test-" + UUID().uuidString)
        defer { if folder == nil { try? FileManager.default.removeItem(at: own) } }
        var configuration = WebConfiguration()
        configuration.spoolFolder = folder ?? own
        configuration.unfinishedUploads = limits
        configuration.maximumUploadBytes = maximum
        try await TestServer.run(
            configuration: configuration, clock: clock, holdUploads: holdUploads, access: access, test)
    }

    static func create(
        _ server: TestServer, length: Int, headers: [String] = []
    ) async throws -> (place: String, run: String) {
        let answer = try await server.ask(
            "POST", uploads, headers: [version, metadata, "Upload-Length: \(length)"] + headers, body: "")
        #expect(answer.status == 201)
        #expect(answer["tus-resumable"] == "1.0.0")
        return (try #require(answer["location"]), try #require(try answer.json()["id"]?.string))
    }

    static func patch(
        _ server: TestServer, _ place: String, at offset: String, _ body: String, headers: [String] = []
    ) async throws -> RawResponse {
        try await server.ask(
            "PATCH", place,
            headers: [version, "Content-Type: application/offset+octet-stream", "Upload-Offset: \(offset)"] + headers,
            body: body)
    }

    static func head(_ server: TestServer, _ place: String, headers: [String] = []) async throws -> RawResponse {
        try await server.ask("HEAD", place, headers: [version] + headers)
    }

    static func end(_ server: TestServer, _ run: String) async throws -> JSONValue {
        await server.board.outcome(of: run)
        return try await server.ask("GET", "/api/v1/runs/" + run).json()
    }

    @Test func `a file that arrives in parts is one run, which sees it from the first byte`() async throws {
        try await Self.run { server in
            let (place, run) = try await Self.create(server, length: 10)
            // The answer tells that the run is recorded; its work may only be about to begin.
            try await until { try await server.board.run(run).state.phase == .active }
            let first = try await Self.patch(server, place, at: "0", "0123")
            #expect(first.status == 204)
            #expect(first["upload-offset"] == "4")
            #expect(first["upload-expires"]?.hasSuffix("GMT") == true)
            let asked = try await Self.head(server, place)
            #expect(asked.status == 200)
            #expect(asked["upload-offset"] == "4")
            #expect(asked["upload-length"] == "10")
            #expect("Upload-Metadata: \(asked["upload-metadata"] ?? "")" == Self.metadata)
            #expect(asked["cache-control"]?.contains("no-store") == true)
            #expect(try await Self.patch(server, place, at: "4", "456789").status == 204)
            let ended = try await Self.end(server, run)
            #expect(ended["case"] == "kept")
            #expect(ended["state"]?["bytes"] == 10)
            #expect(ended["state"]?["filename"] == "a.bin")
            #expect(ended["state"]?["destination"] == "here")
            #expect(ended["input"]?["file"]?["length"] == 10)
            try await until { try await Self.head(server, place).status == 410 }
            #expect(try await server.board.runs(.init()).runs.count == 1)
        }
    }

    @Test func `an empty file is complete as soon as it is begun`() async throws {
        try await Self.run { server in
            let (_, run) = try await Self.create(server, length: 0)
            #expect(try await Self.end(server, run)["state"]?["bytes"] == 0)
        }
    }

    @Test func `a server says what it can before anything is sent`() async throws {
        try await Self.run(maximum: 10) { server in
            for path in [Self.uploads, Self.uploads + "/nothing"] {
                let answer = try await server.ask("OPTIONS", path)
                #expect(answer.status == 204)
                #expect(answer["tus-version"] == "1.0.0")
                #expect(answer["tus-extension"] == "creation,termination,expiration,checksum")
                #expect(answer["tus-checksum-algorithm"] == "sha1,sha256")
                #expect(answer["tus-max-size"] == "10")
            }
            let headers = [Self.version, "Upload-Length: 11"]
            let long = try await server.ask("POST", Self.uploads, headers: headers, body: "")
            #expect(long.status == 413)
            // As long as it may be.
            _ = try await Self.create(server, length: 10)
        }
    }

    @Test func `another version of the protocol is refused with ours`() async throws {
        try await Self.run { server in
            let (place, _) = try await Self.create(server, length: 3)
            for (method, path) in [("POST", Self.uploads), ("HEAD", place), ("PATCH", place), ("DELETE", place)] {
                for headers in [[], ["Tus-Resumable: 0.2.2"]] {
                    let answer = try await server.ask(method, path, headers: headers, body: method == "HEAD" ? nil : "")
                    #expect(answer.status == 412, "\(method) \(headers)")
                    #expect(answer["tus-version"] == "1.0.0")
                }
            }
        }
    }

    @Test(arguments: ["-1", "+1", "1.5", "many", "", "99999999999999999999", "0x10", " "])
    func `a length or an offset that is no number of bytes is refused`(wrong: String) async throws {
        try await Self.run { server in
            let begun = try await server.ask(
                "POST", Self.uploads, headers: [Self.version, "Upload-Length: \(wrong)"], body: "")
            #expect(begun.status == 400)
            let (place, _) = try await Self.create(server, length: 3)
            let answer = try await Self.patch(server, place, at: wrong, "abc")
            #expect(answer.status == 400)
            #expect(try answer.json()["type"] == "urn:weir:problem:malformed-header")
            // What its sender goes on sending is of no use.
            #expect(answer["connection"] == "close")
            #expect(try await Self.head(server, place)["upload-offset"] == "0")
        }
    }

    @Test func `a part elsewhere than at the end changes nothing`() async throws {
        try await Self.run { server in
            let (place, _) = try await Self.create(server, length: 6)
            #expect(try await Self.patch(server, place, at: "0", "abc").status == 204)
            for offset in ["0", "2", "4", "7", "9223372036854775807"] {
                let answer = try await Self.patch(server, place, at: offset, "")
                #expect(answer.status == 409, "\(offset)")
                #expect(answer["upload-offset"] == "3")
            }
            #expect(try await Self.head(server, place)["upload-offset"] == "3")
        }
    }

    @Test func `more than the file's length is refused, announced or not`() async throws {
        try await Self.run { server in
            let (place, _) = try await Self.create(server, length: 3)
            #expect(try await Self.patch(server, place, at: "0", "abcd").status == 413)
            let connection = try await server.connect()
            try await connection.send(
                raw: "PATCH \(place) HTTP/1.1\r\nHost: localhost\r\n\(Self.version)\r\nUpload-Offset: 0\r\n"
                    + "Content-Type: application/offset+octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "4\r\nabcd\r\n0\r\n\r\n")
            #expect(try await connection.response().status == 413)
            await connection.close()
            #expect(try await Self.head(server, place)["upload-offset"] == "0")
        }
    }

    @Test func `a part of another media type is refused`() async throws {
        try await Self.run { server in
            let (place, _) = try await Self.create(server, length: 3)
            let answer = try await server.ask(
                "PATCH", place, headers: [Self.version, "Upload-Offset: 0", "Content-Type: text/plain"], body: "abc")
            #expect(answer.status == 415)
        }
    }

    @Test(arguments: ["filename", "filename !!", "a YQ==,a YQ==", "a YQ== YQ==", "filename /w=="])
    func `malformed metadata starts nothing`(metadata: String) async throws {
        try await Self.run { server in
            let answer = try await server.ask(
                "POST", Self.uploads, headers: [Self.version, "Upload-Length: 1", "Upload-Metadata: \(metadata)"],
                body: "")
            // A key alone has an empty value.
            #expect(answer.status == (metadata == "filename" ? 201 : 400))
            #expect(server.board.view().recentRuns.isEmpty == (metadata != "filename"))
        }
    }

    @Test func `what has arrived before a cut stays, and one request at a time continues it`() async throws {
        // Time stands still: nobody grows tired of waiting for bytes, however slow the machine is.
        try await Self.run(clock: ManualClock()) { server in
            let (place, run) = try await Self.create(server, length: 8)
            let connection = try await server.connect()
            try await connection.send(
                raw: "PATCH \(place) HTTP/1.1\r\nHost: localhost\r\n\(Self.version)\r\nUpload-Offset: 0\r\n"
                    + "Content-Type: application/offset+octet-stream\r\nContent-Length: 8\r\n\r\nabcde")
            try await until { try await Self.head(server, place)["upload-offset"] == "5" }
            let other = try await Self.patch(server, place, at: "5", "fgh")
            #expect(other.status == 423)
            await connection.close()
            try await until { try await Self.patch(server, place, at: "5", "fgh").status == 204 }
            #expect(try await Self.end(server, run)["state"]?["bytes"] == 8)
        }
    }

    @Test(arguments: [
        ("sha1", "qZk+NkcGgWq6PiVxeFDCbJzQ2J0="), ("sha256", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
    ])
    func `a part with its checksum is taken, and one with another leaves nothing behind`(
        algorithm: String, digest: String
    ) async throws {
        try await Self.run { server in
            let (place, run) = try await Self.create(server, length: 6)
            let checksum = "Upload-Checksum: \(algorithm) \(digest)"
            let wrong = try await Self.patch(server, place, at: "0", "abX", headers: [checksum])
            #expect(wrong.status == 460)
            #expect(wrong["upload-offset"] == "0")
            #expect(try wrong.json()["type"] == "urn:weir:problem:checksum-mismatch")
            #expect(try await Self.head(server, place)["upload-offset"] == "0")
            let right = try await Self.patch(server, place, at: "0", "abc", headers: [checksum])
            #expect(right.status == 204)
            #expect(right["upload-offset"] == "3")
            #expect(try await Self.patch(server, place, at: "3", "abc", headers: [checksum]).status == 204)
            #expect(try await Self.end(server, run)["state"]?["bytes"] == 6)
        }
    }

    @Test func `bytes with a checksum count only when all have come`() async throws {
        try await Self.run(clock: ManualClock()) { server in
            let (place, _) = try await Self.create(server, length: 3)
            let connection = try await server.connect()
            try await connection.send(
                raw: "PATCH \(place) HTTP/1.1\r\nHost: localhost\r\n\(Self.version)\r\nUpload-Offset: 0\r\n"
                    + "Upload-Checksum: sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=\r\n"
                    + "Content-Type: application/offset+octet-stream\r\nContent-Length: 3\r\n\r\nab")
            // Asked without bytes and of a wrong offset, so that the question itself neither writes nor holds the other off.
            try await until { try await Self.patch(server, place, at: "1", "").status == 423 }
            await connection.close()
            try await until { try await Self.patch(server, place, at: "0", "").status == 204 }
            #expect(try await Self.head(server, place)["upload-offset"] == "0")
        }
    }

    @Test(arguments: [
        "sha1", "sha1 !!", "sha1 YWJj", "md5 kAFQmDzST7DWlj99KOF/cg==", "SHA1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
    ])
    func `a checksum that is malformed, or made by an unknown algorithm, is refused`(wrong: String) async throws {
        try await Self.run { server in
            let (place, _) = try await Self.create(server, length: 3)
            let answer = try await Self.patch(server, place, at: "0", "abc", headers: ["Upload-Checksum: \(wrong)"])
            #expect(answer.status == 400)
            #expect(try answer.json()["detail"]?.string?.hasPrefix("Upload-Checksum ") == true)
            #expect(try await Self.head(server, place)["upload-offset"] == "0")
        }
    }
}
