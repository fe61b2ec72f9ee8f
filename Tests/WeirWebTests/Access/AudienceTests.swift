import Foundation
import Testing
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Everybody who may do the same is shown the same, made once; others are shown their own, and no cache keeps it.
@Suite(.timeLimit(.minutes(15)))
struct AudienceTests {
    private func next(_ server: TestServer, _ path: String, as name: String) async throws -> String {
        let page = try await server.ask("GET", path, headers: ["X-Test: \(name)", "Accept: text/html"])
        let text = page.text
        let start = try #require(text.range(of: "data-next=\"")).upperBound
        return String(text[start...].prefix { $0 != "\"" })
    }

    @Test func `two who may do the same follow one feed, encoded once, and another audience its own`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let (vera, victor) = (try await next(server, "/", as: "vera"), try await next(server, "/", as: "victor"))
            let (otto, ada) = (try await next(server, "/", as: "otto"), try await next(server, "/", as: "ada"))
            #expect(vera == victor)
            #expect(Set([vera, otto, ada]).count == 3)
            let label = vera.split(separator: "/")[2]
            #expect(label.count == 13)
            var viewers: [(name: String, connection: RawConnection)] = []
            for (name, url) in [("vera", vera), ("victor", victor), ("otto", otto), ("ada", ada)] {
                let viewer = try await server.connect()
                try await viewer.send("GET", url, headers: ["X-Test: \(name)"])
                viewers.append((name, viewer))
            }
            try await server.untilHeld(4)
            let before = encodings(server)
            _ = try await server.start()
            var bodies: [String: String] = [:]
            for (name, viewer) in viewers {
                let answer = try await viewer.response()
                #expect(answer.status == 200)
                #expect(answer["cache-control"] == "private, no-store", "\(name)")
                #expect(try answer.json()["k"] == "batch", "\(name)")
                bodies[name] = answer.text
            }
            #expect(bodies["vera"] == bodies["victor"])
            #expect(Set(bodies.values).count == 3)
            #expect(encodings(server) == before + 3)
            #expect(bodies["otto"]?.contains("/cancellation") == true)
            #expect(bodies["vera"]?.contains("/cancellation") == false)
        }
    }

    private func encodings(_ server: TestServer) -> Int {
        server.dashboard.audiences.responders.reduce(0) { $0 + $1.answers.encodings }
    }

    @Test func `what happens out of sight leaves a held poll alone, and is no gap`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            _ = try await server.start()
            let url = try await next(server, "/", as: "vera")
            let viewer = try await server.connect()
            try await viewer.send("GET", url, headers: ["X-Test: vera"])
            try await server.untilHeld(1)
            for _ in 0..<5 { _ = try await server.board.start("secret", input: ["label": "x"], actor: "y") }
            let head = server.board.feed.head(of: .board)
            #expect(server.dashboard.held == 1)
            _ = try await server.start("b")
            let answer = try await viewer.response().json()
            #expect(answer["k"] == "batch")
            let streams = Set((answer["ev"]?.array ?? []).compactMap { $0.array?[1].string })
            #expect(streams.count == 1)
            #expect((answer["from"]?.integer ?? .max) < head.rawValue)
            #expect((answer["to"]?.integer ?? 0) > head.rawValue)
        }
    }

    @Test func `an address of another audience leads to one's own, and shows nothing of theirs`() async throws {
        let known = KnownNames()
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            let theirs = try await server.board.start("secret", input: ["label": "hush"], actor: "mole").run
            let ada = try await next(server, "/", as: "ada")
            let vera = try await next(server, "/", as: "vera")
            let bare = ada.split(separator: "/").map(String.init)
            let shared = "/" + (Array(bare[..<2]) + Array(bare[3...])).joined(separator: "/")
            for url in [ada, shared, ada.replacing(bare[2], with: String(repeating: "0", count: 13))] {
                let answer = try await server.ask("GET", url, headers: ["X-Test: vera"])
                #expect(answer.status == 200)
                #expect(answer["cache-control"] == "private, no-store")
                let json = try answer.json()
                #expect(json["k"] == "reset")
                #expect(json["why"] == "audience")
                #expect(!answer.text.contains(theirs))
                let snap = try #require(json["snap"]?.string)
                #expect(snap.hasPrefix(vera.split(separator: "/").prefix(3).map { "/\($0)" }.joined()))
                let region = try await server.ask("GET", snap, headers: ["X-Test: vera"])
                #expect(try region.json()["k"] == "snap")
                #expect(region["cache-control"] == "private, no-store")
            }
            // Of a feed that may not be seen there is nothing, whoever's label stands before it: the answer is that for a
            // feed that does not exist, and leads to nothing.
            for (feed, missing) in [
                ("operation-secret", "operation-nothere"),
                ("run-\(theirs)", "run-" + String(repeating: "0", count: theirs.count)),
            ] {
                let hidden = ada.replacing("/board/", with: "/\(feed)/")
                let answer = try await server.ask("GET", hidden, headers: ["X-Test: vera"])
                let none = try await server.ask(
                    "GET", hidden.replacing(feed, with: missing), headers: ["X-Test: vera"])
                let json = try answer.json()
                let other = try JSONValue(parsing: none.text.replacing(missing, with: feed))
                // All but the slot in `next`, whose phase comes from the name that was asked for.
                #expect(answer.status == 200 && none.status == 200)
                func told(_ json: JSONValue) -> [String: JSONValue]? { json.object?.filter { $0.key != "next" } }
                #expect(told(json) != nil && told(json) == told(other))
                #expect(json["k"] == "reset" && json["why"] == "audience" && json["ev"]?.array?.isEmpty == true)
                let snap = try #require(json["snap"]?.string)
                #expect(try await server.ask("GET", snap, headers: ["X-Test: vera"]).status == 404)
                // With one's own label, too, and at the region of another audience.
                let own = vera.replacing("/board/", with: "/\(feed)/")
                #expect(try await server.ask("GET", own, headers: ["X-Test: vera"]).status == 404)
                let label = String(vera.split(separator: "/")[2])
                let region = snap.replacing(label, with: bare[2])
                #expect(try await server.ask("GET", region, headers: ["X-Test: vera"]).status == 404)
            }
            #expect(try await server.ask("GET", ada).status == 401)
        }
    }

    @Test func `what everybody sees without signing in can be kept by any cache, and only that`() async throws {
        let everyone = AccessRules(grants: [
            RoleGrant(
                RoleAssignment("viewer", on: SubjectSelection(operations: [IDPattern("steps")].compactMap { $0 })),
                to: [.everyone]),
            RoleGrant(RoleAssignment("admin"), to: [.user("ada")]),
        ])
        let known = KnownNames(everyone)
        try await TestServer.run(bell: true, secret: true, access: known.access) { server async throws in
            _ = try await server.start()
            let page = try await server.ask("GET", "/", headers: ["Accept: text/html"])
            #expect(page.status == 200)
            #expect(!page.offersChanges)
            let open = "/live/1/board/\(server.board.epoch)/0/now"
            let answer = try await server.ask("GET", open)
            #expect(answer["cache-control"] == "public, max-age=1")
            #expect(try answer.json()["k"] == "batch")
            #expect(try await server.ask("GET", "/live/1/operation-secret/snap").status == 404)
            let ada = try await server.ask("GET", open, headers: ["X-Test: ada"])
            #expect(try ada.json()["k"] == "reset")
            #expect(ada["cache-control"] == "private, no-store")
            // Somebody who is known and may do no more than anybody follows the same feed, in a page of their own.
            let bob = try await server.ask("GET", open, headers: ["X-Test: bob"])
            #expect(bob.text == answer.text)
            let own = try await server.ask("GET", "/", headers: ["X-Test: bob", "Accept: text/html"])
            #expect(own["cache-control"] == "private, no-store")
            #expect(try await server.ask("POST", "/operations/steps/runs", body: "label=a").status == 401)
        }
    }

    @Test func `audiences that nobody belongs to any more are let go of, and there are never very many`() async throws {
        let known = KnownNames()
        let clock = ManualClock()
        try await TestServer.run(clock: clock, bell: true, secret: true, access: known.access) { server async throws in
            for name in ["vera", "otto", "ada"] {
                #expect(try await server.ask("GET", "/", headers: ["X-Test: \(name)"]).status == 200)
            }
            let few = server.dashboard.audiences.count
            #expect(few == 5)
            clock.advance(by: DashboardCache.idle + 1)
            known.control.invalidate()
            clock.advance(by: RightsWatch.interval)
            #expect(server.dashboard.audiences.count == 2)
            #expect(server.dashboard.audiences.known(.open) === server.dashboard.everything)
        }
    }
}
