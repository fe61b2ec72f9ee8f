import Foundation
import TestSupport
import Testing
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// A follower whose rights change in mid-stream misses nothing silently: a place in the board is of use only to those who may
/// see the same of it.
@Suite(.timeLimit(.minutes(15)))
struct StreamAudienceTests {
    private static let board = "/api/v1/streams/board"

    private func ask(_ server: TestServer, _ query: String = "", as name: String) async throws -> RawResponse {
        try await server.ask("GET", Self.board + query, headers: ["X-Test: \(name)"])
    }

    private func offset(_ answer: RawResponse) throws -> String { try #require(answer["stream-next-offset"]) }

    private func grant(_ role: String, on operations: [String]?, to name: String, by known: KnownNames) {
        let selection = operations.map { SubjectSelection(operations: $0.compactMap { IDPattern($0) }) }
        let assignment = selection.map { RoleAssignment(role, on: $0) } ?? RoleAssignment(role)
        known.control.replace(rules: AccessRules(grants: [RoleGrant(assignment, to: [.user(name)])]))
    }

    private func operations(_ answer: RawResponse) throws -> Set<String> {
        Set(try #require(try answer.json().array).compactMap { $0["operation"]?.string })
    }

    @Test func `rights that are gained lead a long poll to a new beginning, which has what was not seen`() async throws
    {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            _ = try await server.board.start("secret", input: ["label": "hush"], actor: "mole")
            _ = try await server.start()
            let before = try await ask(server, as: "vera")
            #expect(try operations(before) == ["steps"])
            let follower = try await server.connect()
            let query = "?live=long-poll&offset=" + (try offset(before))
            try await follower.send("GET", Self.board + query, headers: ["X-Test: vera"])
            try await server.untilHeld(1)
            grant("viewer", on: nil, to: "vera", by: known)
            let released = try await follower.response()
            #expect(released.status == 204)
            #expect(released["cache-control"] == "private, no-store")
            #expect(try offset(released) == offset(before))
            for live in ["", "&live=long-poll", "&live=sse"] {
                let told = try await ask(server, "?offset=" + (try offset(released)) + live, as: "vera")
                #expect(told.status == 410)
                #expect(told["cache-control"] == "no-store")
                #expect(try told.json()["type"]?.string == "urn:weir:problem:other-audience")
                let first = try #require(told["stream-first-offset"])
                let again = try await ask(server, "?offset=" + first, as: "vera")
                #expect(again.status == 200)
                #expect(try operations(again) == ["steps", "secret"])
            }
        }
    }

    @Test func `rights that are lost end events, and lead to a new beginning without what may not be seen`()
        async throws
    {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let hidden = try await server.board.start("secret", input: ["label": "hush"], actor: "mole").run
            // A change of its own that came later would be an event.
            try await until { try await server.board.run(hidden).state.caseName == "stepping" }
            _ = try await server.start()
            let before = try await ask(server, as: "ada")
            #expect(try operations(before) == ["steps", "secret"])
            let follower = try await server.connect()
            let query = "?live=sse&offset=" + (try offset(before))
            try await follower.send("GET", Self.board + query, headers: ["X-Test: ada"])
            try await server.untilHeld(1)
            grant("viewer", on: ["steps"], to: "ada", by: known)
            let rest = try await follower.response().text
            #expect(!rest.contains("event: data"))
            let told = try await ask(server, "?offset=" + (try offset(before)), as: "ada")
            #expect(told.status == 410)
            let again = try await ask(server, "?offset=" + (try #require(told["stream-first-offset"])), as: "ada")
            #expect(try operations(again) == ["steps"])
        }
    }

    @Test func `rights to do more with what is seen already leave every place as good as it was`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            _ = try await server.start()
            grant("viewer", on: ["steps"], to: "vera", by: known)
            let before = try await ask(server, as: "vera")
            grant("operator", on: ["steps"], to: "vera", by: known)
            let after = try await ask(server, "?offset=" + (try offset(before)), as: "vera")
            #expect(after.status == 200)
            #expect(after.text == "[]")
            #expect(after["etag"] != nil)
        }
    }

    @Test func `a stream that is seen whole or not at all goes on where it was left`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let path = "/api/v1/streams/operation-steps"
            _ = try await server.start()
            let first = try await server.ask("GET", path, headers: ["X-Test: vera"])
            let head = server.board.feed.head(of: .operation("steps"))
            grant("viewer", on: ["secret"], to: "vera", by: known)
            let next = path + "?offset=" + (try offset(first))
            #expect(try await server.ask("GET", next, headers: ["X-Test: vera"]).status == 404)
            server.gate.step()
            try await until { server.board.feed.head(of: .operation("steps")) > head }
            grant("viewer", on: nil, to: "vera", by: known)
            let rest = try await server.ask("GET", next, headers: ["X-Test: vera"])
            #expect(rest.status == 200)
            #expect(try rest.json().array?.map { $0["state"]?["number"] } == [1])
        }
    }

    // 10.1: a tag is for those who are shown the same
    @Test func `tags differ between audiences, and no cache keeps what is not for everybody`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            _ = try await server.start()
            let (vera, victor) = (try await ask(server, as: "vera"), try await ask(server, as: "victor"))
            let ada = try await ask(server, as: "ada")
            #expect(vera["etag"] == victor["etag"])
            #expect(vera["etag"] != ada["etag"])
            #expect(vera["cache-control"] == "private, no-store")
            let tag = try #require(ada["etag"])
            let headers = ["X-Test: vera", "If-None-Match: \(tag)"]
            #expect(try await server.ask("GET", Self.board, headers: headers).status == 200)
            let own = ["X-Test: ada", "If-None-Match: \(tag)"]
            #expect(try await server.ask("GET", Self.board, headers: own).status == 304)
        }
    }

    @Test func `a wait that ends because rights have changed does not say that the stream has ended`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            _ = try await server.start()
            let follower = try await server.connect()
            let query = "?live=long-poll&offset=" + (try offset(try await ask(server, as: "vera")))
            try await follower.send("GET", Self.board + query, headers: ["X-Test: vera"])
            try await server.untilHeld(1)
            grant("viewer", on: nil, to: "vera", by: known)
            let released = try await follower.response()
            #expect(released.status == 204 && released["stream-closed"] == nil)
            #expect(released["stream-cursor"] != nil)
        }
    }
}
