import Foundation
import Testing
import WeirAccess

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct SavedViewTests {
    /// Saves a view, or forgets it, with the cookies of a browser.
    private static func save(_ body: String, _ cookie: String, _ server: AccountServer) async throws -> RawResponse {
        try await server.ask("POST", "/runs/views", [cookie, "Accept: text/html"] + AccountServer.form, body: body)
    }

    private static func list(_ cookie: String, _ server: AccountServer) async throws -> String {
        try await server.ask("GET", "/runs", [cookie, "Accept: text/html"]).text
    }

    @Test func `the views of somebody who signed in are in all their browsers, and in nobody else's`() async throws {
        try await AccountServer.run { server in
            let (vera, other) = (try await server.cookie(of: "vera"), try await server.cookie(of: "vera"))
            let saved = try await Self.save("name=Broken&query=phase%3Dfailed", vera, server)
            #expect(saved.status == 303 && saved.headers["location"] == "/runs?phase=failed")
            #expect(saved.headers["set-cookie"] == nil)
            #expect(try await Self.list(other, server).contains(">Broken<"))
            let root = try await server.cookie(of: "root")
            #expect(!(try await Self.list(root, server).contains(">Broken<")))
            _ = try await Self.save("remove=Broken", other, server)
            #expect(!(try await Self.list(vera, server).contains(">Broken<")))
        }
    }

    @Test func `what a browser had kept before is shown, and goes to the account with the first change`() async throws {
        try await AccountServer.run { server in
            let (vera, other) = (try await server.cookie(of: "vera"), try await server.cookie(of: "vera"))
            let browser = vera + "; weir-views=Old=phase%3Dactive"
            #expect(try await Self.list(browser, server).contains(">Old<"))
            #expect(!(try await Self.list(other, server).contains(">Old<")))
            let saved = try await Self.save("name=Broken&query=phase%3Dfailed", browser, server)
            let field = try #require(saved.headers["set-cookie"])
            #expect(field.hasPrefix("weir-views=;") && field.contains("Max-Age=0"))
            let list = try await Self.list(other, server)
            #expect(list.contains(">Old<") && list.contains(">Broken<"))
            // What another browser had kept does not come back over it.
            _ = try await Self.save("remove=Old", other, server)
            #expect(!(try await Self.list(browser, server).contains(">Old<")))
        }
    }

    @Test func `views that are saved at the same moment are all kept, up to their number`() async throws {
        try await AccountServer.run { server in
            let vera = try await server.cookie(of: "vera")
            let statuses = try await withThrowingTaskGroup { group in
                for number in 0..<13 {
                    group.addTask { try await Self.save("name=v\(number)&query=phase%3Dfailed", vera, server).status }
                }
                var statuses: [Int] = []
                for try await status in group { statuses.append(status) }
                return statuses.sorted()
            }
            #expect(statuses == Array(repeating: 303, count: 12) + [400])
            #expect(try await Self.list(vera, server).components(separatedBy: "name=\"remove\"").count == 13)
        }
    }

    @Test func `somebody of the same name who comes later finds no views`() async throws {
        try await AccountServer.run { server in
            _ = try await Self.save("name=Broken&query=phase%3Dfailed", try await server.cookie(of: "vera"), server)
            try await server.directory.removeUser("vera", by: .system)
            let vera = try await server.person("vera", "viewer")
            #expect(!(try await Self.list(vera, server).contains(">Broken<")))
        }
    }

    @Test(arguments: ["", "a%00b", "a%0Ab", "a%C2%85b", "%E2%80%AEevil", "%E2%81%A6a"])
    func `neither a view nor a preset has a name with characters that are not seen`(name: String) async throws {
        try await AccountServer.run { server in
            let otto = try await server.person("otto", "operator")
            #expect(try await Self.save("name=\(name)&query=phase%3Dfailed", otto, server).status == 400)
            let preset = try await server.ask(
                "POST", "/operations/steps/presets", [otto] + AccountServer.form, body: "name=\(name)&input.label=a")
            #expect(preset.status == 400)
        }
    }

    @Test func `a program's views stay with the program`() async throws {
        try await AccountServer.run { server in
            let token = try await server.bearer("viewer")
            let saved = try await Self.save("name=Broken&query=phase%3Dfailed", token, server)
            #expect(saved.headers["set-cookie"]?.hasPrefix("weir-views=Broken") == true)
            #expect(!(try await Self.list(token, server).contains(">Broken<")))
        }
    }
}
