import Foundation
import Testing
import WeirFlows
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15)))
struct RunStartTests {
    /// A server whose operation has these fields, and which starts each run.
    private func server(_ fields: JSONValue) async throws -> ScriptedServer {
        try await ScriptedServer { _, request in
            request.method == "GET" ? .init(body: ["fields": fields]) : .init(status: "201 Created", body: ["id": "r1"])
        }
    }

    private func start(_ words: [String], on server: ScriptedServer) async throws -> String? {
        try await server.with { client in
            try await RunStart(client, clock: VirtualClock(advancing: .onSleep)).run(
                "backup", InputArguments(words), standardInput: { Data("from input\n".utf8) })["id"]?.string
        }
    }

    @Test func `a value that is text is sent as it is, also where it is read from a file`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        try Data("from file\n".utf8).write(to: file)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let server = try await server([
            ["name": "a", "kind": "text"], ["name": "b", "kind": "text"], ["name": "c", "kind": "text"],
        ])
        #expect(try await start(["a=1 2", "b=@\(file.path)", "c=@-"], on: server) == "r1")
        let request = try #require(server.requests.last)
        #expect(request.method == "POST" && request.path == "/operations/backup/runs")
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["idempotency-key"]?.isEmpty == false)
    }

    @Test func `a field that takes a file is given one, and no text`() async throws {
        let server = try await server([["name": "dump", "kind": "file"], ["name": "base", "kind": "text"]])
        let error = await #expect(throws: ClientError.self) { try await start(["dump=orders", "base=a"], on: server) }
        #expect(error?.description == "“dump” takes a file. Write dump=@FILE.")
        #expect(server.requests.map(\.method) == ["GET"])
        let file = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        try Data("the dump".utf8).write(to: file)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        #expect(try await start(["dump=@\(file.path)", "base=a"], on: server) == "r1")
        let request = try #require(server.requests.last)
        #expect(request.headers["content-type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        // A run that has a file is started once: the file might be gone.
        #expect(request.headers["idempotency-key"] == nil)
    }
}
