import Testing
import WeirAccess
import WeirBoards
import WeirStates

@testable import WeirWeb

/// Who one is, in the header of every page, and the way out.
@Suite(.timeLimit(.minutes(15)))
struct HeaderTests {
    @Test func `every page says who one is and has the way out, in both languages and without a script`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            let paths = [
                "/", "/runs", "/runs/\(run)", "/operations/steps", "/stores", "/stores/bell", "/gallery", "/system",
                "/operations/steps/compare?a=\(run)&b=\(run)", "/runs/\(run)?at=1", "/nowhere", "/account", "/users",
                "/tokens", "/audit", "/runs/\(run)/links", "/runs/\(run)/after/\(server.board.epoch).0",
            ]
            for path in paths {
                for (language, words) in [("en", "Sign out"), ("pt-BR", "Sair")] {
                    let cookie = "\(root); weir-lang=\(language)"
                    let text = try await server.ask("GET", path, [cookie, "Accept: text/html"]).text
                    #expect(text.contains("<a href=\"/account\">root</a>"), "\(path)")
                    #expect(text.contains("<form method=\"post\" action=\"/sign-out\""), "\(path)")
                    #expect(text.contains(">\(words)</button>"), "\(language) \(path)")
                }
            }
        }
    }

    @Test func `the page about oneself offers to sign in only to whoever is not signed in`() async throws {
        try await AccountServer.run { server in
            let signIn = "href=\"/sign-in\""
            for name in ["root", "vera"] {
                let page = try await server.ask("GET", "/account", [server.cookie(of: name), "Accept: text/html"])
                #expect(page.status == 200 && !page.text.contains(signIn), "\(name)")
            }
            let page = try await server.ask("GET", "/account", ["Accept: text/html"])
            #expect(page.status == 200 && page.text.contains(signIn))
        }
    }

    @Test func `who is not signed in, or not by this server, has no way out`() async throws {
        try await AccountServer.run { server in
            #expect(!(try await server.ask("GET", "/sign-in").text.contains("/sign-out")))
            let bearer = try await server.bearer("viewer")
            let page = try await server.ask("GET", "/", [bearer, "Accept: text/html"]).text
            #expect(page.contains(">token viewer</a>") && !page.contains("/sign-out"))
        }
        try await AccountServer.run(.none(allowsForwarded: false), isEmpty: true) { server in
            let page = try await server.ask("GET", "/", ["Accept: text/html"]).text
            #expect(!page.contains("class=\"me\""))
        }
    }

    @Test func `a role by tag is for the operations and stores that have it`() async throws {
        try await AccountServer.run { server in
            let tess = try await server.person("tess", "operator", tags: ["production"])
            let list = try await server.ask("GET", "/api/v1/operations", [tess]).text
            #expect(list.contains("\"steps\"") && !list.contains("\"secret\"") && !list.contains("\"printer\""))
            #expect(try await server.ask("GET", "/stores/bell", [tess]).status == 200)
            #expect(try await server.ask("GET", "/operations/secret", [tess]).status == 404)
        }
    }
}
