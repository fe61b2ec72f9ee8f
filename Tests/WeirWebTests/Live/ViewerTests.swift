import Foundation
import Testing
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The page of a store shows who else has it open.
@Suite(.timeLimit(.minutes(15)))
struct ViewerTests {
    private static let html = "Accept: text/html"

    private func page(_ server: TestServer, _ path: String, as name: String) async throws -> String {
        try await server.ask("GET", path, headers: ["X-Test: \(name)", Self.html]).text
    }

    private func next(in page: String) throws -> String {
        let start = try #require(page.range(of: "data-next=\"")).upperBound
        return String(page[start...].prefix { $0 != "\"" })
    }

    private func wait(_ server: TestServer, as name: String) async throws -> RawConnection {
        let url = try next(in: await page(server, "/stores/bell", as: name))
        let connection = try await server.connect()
        try await connection.send("GET", url, headers: ["X-Test: \(name)"])
        return connection
    }

    /// Answers until one says who else is there.
    private func viewers(_ connection: RawConnection, as name: String) async throws -> String {
        while true {
            let answer = try await connection.response()
            #expect(answer["cache-control"] == "private, no-store")
            let json = try answer.json()
            if let viewers = json["viewers"]?.string { return viewers }
            try await connection.send("GET", try #require(json["next"]?.string), headers: ["X-Test: \(name)"])
        }
    }

    @Test func `people of different rights see each other on a page that both may see, without a change`() async throws
    {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let (head, before) = (server.board.feed.head(of: .board), server.board.feed.head(of: .store("bell")))
            let vera = try await wait(server, as: "vera")
            try await server.untilHeld(1)
            #expect(try await page(server, "/stores/bell", as: "ada").contains(#"id="viewers"><p>Also here: vera</p>"#))
            let ada = try await wait(server, as: "ada")
            #expect(try await viewers(vera, as: "vera") == "<p>Also here: ada</p>")
            #expect(try await viewers(ada, as: "ada") == "<p>Also here: vera</p>")
            #expect(server.board.feed.head(of: .board) == head)
            #expect(server.board.feed.head(of: .store("bell")) == before)
        }
    }

    @Test func `whoever may not see a store is shown nobody, and neither is whoever is not known by name`() async throws
    {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let url = try next(in: await page(server, "/stores/vault", as: "ada"))
            let ada = try await server.connect()
            try await ada.send("GET", url, headers: ["X-Test: ada"])
            try await server.untilHeld(1)
            #expect(try await server.ask("GET", "/stores/vault", headers: ["X-Test: vera", Self.html]).status == 404)
            let snap = try await server.ask("GET", url, headers: ["X-Test: vera"])
            #expect(!snap.text.contains("ada"))
            // The same person elsewhere is on no other page.
            #expect(try await page(server, "/stores/bell", as: "vera").contains(#"id="viewers"></aside>"#))
            #expect(try await !page(server, "/stores", as: "vera").contains(#"id="viewers""#))
        }
        try await TestServer.run(bell: true) { server async throws in
            #expect(try await !page(server, "/stores/bell", as: "ana").contains(#"id="viewers""#))
        }
    }

    @Test func `a page that everybody may see shows nobody, as its answers are anybody's`() async throws {
        let everyone = AccessRules(grants: [
            RoleGrant(RoleAssignment("viewer"), to: [.everyone]),
            RoleGrant(RoleAssignment("admin"), to: [.user("ada")]),
        ])
        try await TestServer.run(bell: true, access: KnownNames(everyone).access) { server async throws in
            let ada = try await wait(server, as: "ada")
            try await server.untilHeld(1)
            #expect(try await !page(server, "/stores/bell", as: "vera").contains(#"id="viewers""#))
            _ = ada
        }
    }

    @Test func `the setting switches it off`() async throws {
        var configuration = WebConfiguration()
        configuration.showsViewers = false
        try await TestServer.run(configuration: configuration, bell: true, access: KnownNames().access) {
            server async throws in
            let vera = try await wait(server, as: "vera")
            try await server.untilHeld(1)
            #expect(try await !page(server, "/stores/bell", as: "ada").contains(#"id="viewers""#))
            _ = vera
        }
    }
}
