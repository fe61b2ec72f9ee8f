import Testing
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15)))
struct RunNameTests {
    private static let id = "01jaz4qk3m0000000000qbtdxk"

    /// A server that has a run of this id, and finds these runs by text.
    private func server(finding ids: [String]) async throws -> ScriptedServer {
        try await ScriptedServer { _, request in
            if request.path == "/runs/\(Self.id)" { return .init(body: ["id": .string(Self.id)]) }
            if request.path.hasPrefix("/runs/") { return .refusal("404 Not Found") }
            return .init(body: ["runs": .array(ids.map { ["id": .string($0)] }), "next": nil])
        }
    }

    private func id(of name: String, on server: ScriptedServer) async throws -> String {
        try await server.with { client in try await RunName.id(of: name, at: client) }
    }

    @Test func `an id is taken as it is, without a search`() async throws {
        let server = try await server(finding: [])
        #expect(try await id(of: Self.id, on: server) == Self.id)
        #expect(server.requests.map(\.path) == ["/runs/\(Self.id)"])
    }

    @Test func `the end of an id that pages show finds its run, and no run that only mentions it`() async throws {
        let server = try await server(finding: ["01jaz4qk3m0000000000000000", Self.id])
        #expect(try await id(of: "qbtdxk", on: server) == Self.id)
        #expect(server.requests.map(\.path) == ["/runs/qbtdxk", "/runs?text=qbtdxk&limit=500"])
    }

    @Test func `an end that several runs have is refused with their ids`() async throws {
        let server = try await server(finding: ["1qbtdxk", "2qbtdxk"])
        let error = await #expect(throws: ClientError.self) { try await id(of: "qbtdxk", on: server) }
        #expect(error?.exitCode == 65)
        #expect(
            error?.description
                == "2 runs have an id that ends in “qbtdxk”: 1qbtdxk, 2qbtdxk. Give the whole id.")
    }

    @Test(arguments: ["qbtdxk", "dxk", "", "a/b", "export", "QBTDXK\u{1b}[2J"])
    func `a name that no run has is answered with what to do`(name: String) async throws {
        let server = try await server(finding: ["01jaz4qk3m0000000000000dxk"])
        let error = await #expect(throws: ClientError.self) { try await id(of: name, on: server) }
        #expect(error?.exitCode == 66)
        #expect(error?.description.hasPrefix("There is no run “") == true)
        #expect(error?.description.hasSuffix("`weir runs` lists the runs with their ids.") == true)
        #expect(error?.description.contains("\u{1b}") == false)
    }
}
