import HTTPTypes
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Who asks, according to whom.
@Suite(.timeLimit(.minutes(15)))
struct ActorTests {
    private static let json = "Content-Type: application/json"
    private static let runs = "/api/v1/operations/steps/runs"

    private static func start(_ server: TestServer, _ headers: [String]) async throws -> RawResponse {
        try await server.ask("POST", runs, headers: [json] + headers, body: #"{"label":"a"}"#)
    }

    @Test(arguments: ["Ana", "Ana Lúcia", "Doe, Jane", "李雷", "x runs=99 actor=root", "😀"])
    func `a name of visible characters is accepted as it is`(name: String) {
        #expect(ActorName(name)?.text == name)
        #expect(ActorName(typed: name)?.text == name)
    }

    @Test(arguments: [
        ("x\tq", "x q"), ("a\nb", "a b"), ("a\u{85}b", "a b"), ("\u{202E}nimda", "nimda"), ("adm\u{200D}in", "admin"),
        ("a\u{9B}31m", "a31m"), (" Ana", "Ana"), ("Ana  B", "Ana B"), ("A\u{2028}B", "A B"), ("A\u{FFFD}", "A"),
        ("\u{E000}A", "A"), ("a\u{1F}b", "ab"), ("a\u{A0}b", "a b"),
    ])
    func `a name with anything invisible is refused, and corrected where somebody types it`(name: String, typed: String)
    {
        #expect(ActorName(name) == nil)
        #expect(ActorName(typed: name)?.text == typed)
    }

    @Test func `a name is bounded in characters and in bytes`() throws {
        #expect(ActorName(String(repeating: "a", count: 100)) != nil)
        #expect(ActorName(String(repeating: "a", count: 101)) == nil)
        #expect(ActorName("") == nil && ActorName(typed: " \t ") == nil)
        #expect(ActorName(typed: String(repeating: "a", count: 101))?.text.count == 100)
        let tall = "a" + String(repeating: "\u{301}", count: 1_000)
        #expect(ActorName(tall) == nil && ActorName(typed: tall) == nil)
        let wide = try #require(ActorName(typed: String(repeating: "😀 ", count: 90)))
        #expect(wide.text.utf8.count <= ActorName.byteLimit)
    }

    @Test func `with a proxy's header nothing else says who asks`() async throws {
        var configuration = WebConfiguration()
        configuration.actorHeader = "X-User"
        try await TestServer.run(configuration: configuration, bell: true) { server in
            let named = try await Self.start(server, ["X-User: Ana", "X-Weir-Actor: Rui", "Cookie: weir-name=admin"])
            #expect(try named.json()["actor"] == "Ana")
            for others in [[], ["Cookie: weir-name=admin"], ["X-Weir-Actor: admin"], ["X-User:"]] {
                let refused = try await Self.start(server, others)
                #expect(refused.status == 400, "\(others)")
                #expect(try refused.json()["type"] == "urn:weir:problem:missing-actor")
                let form = try await server.ask(
                    "POST", "/stores/bell/actions",
                    headers: ["Content-Type: application/x-www-form-urlencoded", "Accept: text/html"] + others,
                    body: "type=ring&times=1")
                #expect(form.status == 400, "\(others)")
                let page = try await server.ask("GET", "/stores/bell", headers: ["Accept: text/html"] + others)
                #expect(page.status == 200 && page.text.contains("data-name=\"unknown\""))
            }
            #expect(try server.board.store("bell").log.count == 1)
            #expect(try await server.board.runs(.init()).runs.count == 1)
        }
    }

    @Test(arguments: [
        ["X-User: Ana", "X-User: Rui"], ["X-User: Ana", "x-user: Ana"], ["X-User: a\tb"],
        ["X-User: " + String(repeating: "a", count: 101)], ["X-User: \u{202E}nimda"], ["X-User: a\u{9B}b"],
    ])
    func `a header that is sent twice, or holds no name, is refused for reading too`(headers: [String]) async throws {
        var configuration = WebConfiguration()
        configuration.actorHeader = "X-User"
        try await TestServer.run(configuration: configuration) { server in
            let started = try await Self.start(server, headers)
            #expect(started.status == 400)
            #expect(try started.json()["errors"]?.array?.first?["field"] == "X-User")
            #expect(try await server.ask("GET", "/", headers: headers).status == 400)
            #expect(try await server.ask("GET", try server.tail(), headers: headers).status == 400)
            #expect(try await server.board.runs(.init()).runs.isEmpty)
        }
    }

    @Test func `without a proxy a program may name itself, once and soundly`() async throws {
        try await TestServer.run { server in
            let named = try await Self.start(server, ["X-Weir-Actor: Ana"])
            #expect(try named.json()["actor"] == "Ana")
            let unnamed = try await Self.start(server, [])
            #expect(try unnamed.json()["actor"] == "api")
            #expect(try await Self.start(server, ["X-Weir-Actor: Ana", "X-Weir-Actor: Rui"]).status == 400)
            #expect(try await Self.start(server, ["X-Weir-Actor: x\tq runs=99 actor=root"]).status == 400)
        }
    }

    @Test func `an application that mounts a dashboard trusts no name and greets nobody, unless it says so`()
        async throws
    {
        try await TestServer.run(asServed: false) { server in
            let started = try await Self.start(server, ["X-Weir-Actor: root"])
            #expect(try started.json()["actor"] == "api")
            #expect(try await server.ask("GET", "/hello?label=A").status == 404)
        }
    }

    @Test func `a header that cannot be one is a mistake of the configuration`() {
        var configuration = WebConfiguration()
        configuration.actorHeader = "X User"
        #expect(throws: WebConfigurationError.self) { try ActorCheck(configuration) }
    }

    @Test(arguments: ["root%09x", "%E2%80%AEroot", "a%0Ab"])
    func `a cookie that holds no name names nobody`(cookie: String) async throws {
        try await TestServer.run(bell: true) { server in
            _ = try await server.ask(
                "POST", "/stores/bell/actions",
                headers: ["Content-Type: application/x-www-form-urlencoded", "Cookie: weir-name=" + cookie],
                body: "type=ring&times=1")
            #expect(try server.board.store("bell").log.first?.step.actor == "operator")
        }
    }
}
