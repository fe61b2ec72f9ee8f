import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct StoreRouteTests {
    private static let form = "Content-Type: application/x-www-form-urlencoded"
    private static let html = "Accept: text/html"

    private static func ring(_ server: TestServer, _ times: Int = 1, headers: [String] = []) async throws -> RawResponse
    {
        try await server.ask(
            "POST", "/stores/bell/actions?form=act-ring", headers: [form, html] + headers,
            body: "type=ring&times=\(times)")
    }

    // L5
    @Test func `a plain form acts and leads back to the store`() async throws {
        try await TestServer.run(bell: true) { server in
            let answer = try await Self.ring(server, 2)
            #expect(answer.status == 303 && answer["location"] == "/stores/bell")
            let page = try await server.ask("GET", "/stores/bell", headers: [Self.html])
            #expect(page.status == 200 && page.text.contains("<strong>operator</strong> Ring"))
            #expect(try await server.ask("GET", "/stores", headers: [Self.html]).text.contains("id=\"store-bell\""))
            #expect(try await server.ask("GET", "/", headers: [Self.html]).text.contains("id=\"store-bell\""))
        }
    }

    @Test func `a form sent by script is told the cursor that its page has to reach`() async throws {
        try await TestServer.run(bell: true) { server in
            let answer = try await server.ask(
                "POST", "/stores/bell/actions", headers: [Self.form, "Accept: application/json"],
                body: "type=ring&times=2")
            let head = server.board.feed.head(of: .store("bell"))
            #expect(try answer.json() == ["cursor": "testepoch0001.\(head)".json, "location": "/stores/bell"])
        }
    }

    // L5
    @Test func `a mistake stands beside its field, and what was typed stays`() async throws {
        try await TestServer.run(bell: true) { server in
            let answer = try await Self.ring(server, 77)
            #expect(answer.status == 422)
            #expect(answer.text.contains("id=\"act-ring-times-error\"") && answer.text.contains("value=\"77\""))
            #expect(!answer.text.contains("http-equiv=\"refresh\""))
        }
    }

    @Test func `people act under the name they gave, and a proxy's word counts more`() async throws {
        try await TestServer.run(bell: true) { server in
            let named = try await server.ask(
                "POST", "/name", headers: [Self.form], body: "name=+Ana+L%C3%BAcia+&back=%2Fstores%2Fbell")
            #expect(named.status == 303 && named["location"] == "/stores/bell")
            let cookie = try #require(named["set-cookie"]?.split(separator: ";").first)
            #expect(cookie == "weir-name=Ana%20L%C3%BAcia")
            #expect(named["set-cookie"]?.contains("HttpOnly") == true)
            _ = try await Self.ring(server, headers: ["Cookie: \(cookie)"])
            #expect(try server.board.store("bell").log.first?.step.actor == "Ana Lúcia")
            _ = try await Self.ring(server, headers: ["Cookie: \(cookie)", "X-Weir-Actor: Rui"])
            #expect(try server.board.store("bell").log.first?.step.actor == "Rui")
            let page = try await server.ask("GET", "/stores/bell", headers: ["Cookie: \(cookie)"])
            #expect(page.text.contains("data-name=\"Ana Lúcia\""))
            let told = try await server.ask("GET", "/stores/bell", headers: ["X-Weir-Actor: Rui"])
            #expect(told.text.contains("data-name=\"Rui\"") && !told.text.contains("action=\"/name\""))
        }
    }

    @Test(arguments: ["https://evil.test/", "//evil.test/", "/\\evil.test", "stores", ""])
    func `a name leads back to this dashboard and nowhere else`(back: String) async throws {
        try await TestServer.run(bell: true) { server in
            let body = "name=&back=" + PercentEncoding.encode(back)
            let answer = try await server.ask("POST", "/name", headers: [Self.form], body: body)
            #expect(answer.status == 303 && answer["location"] == "/")
            #expect(answer["set-cookie"]?.contains("Max-Age=0") == true)
        }
    }

    // K8
    @Test func `any moment of a store can be looked at and returned to`() async throws {
        try await TestServer.run(bell: true) { server in
            _ = try await Self.ring(server, 2)
            let then = server.board.feed.head(of: .store("bell"))
            _ = try await Self.ring(server, 3)
            let past = try await server.ask("GET", "/stores/bell?at=\(then)", headers: [Self.html])
            #expect(past.status == 200 && past.text.contains("data-paused=\"\(then)\""))
            #expect(!past.text.contains("data-next=") && past.text.contains("id=\"return\""))
            let previous = try await server.ask("GET", "/stores/bell?at=previous", headers: [Self.html])
            #expect(previous.text.contains("data-paused=\"\(then)\""))
            let back = try await server.ask("POST", "/stores/bell/state", headers: [Self.form], body: "at=\(then)")
            #expect(back.status == 303)
            let view = try server.board.store("bell")
            #expect(view.state.payload["rings"] == 2 && view.log.first?.step.returnedTo == then)
            #expect(try await server.ask("GET", "/stores/bell?at=x", headers: [Self.html]).status == 400)
            #expect(try await server.ask("GET", "/stores/gong?at=1", headers: [Self.html]).status == 404)
        }
    }

    @Test func `a file that an effect offers is sent to be kept, whatever it holds`() async throws {
        try await TestServer.run(bell: true) { server in
            _ = try await server.ask(
                "POST", "/stores/bell/actions", headers: [Self.form], body: "type=hand&name=a+%22b%22.md")
            let head = server.board.feed.head(of: .store("bell"))
            let file = try await server.ask("GET", "/stores/bell/effects/\(head)/0")
            #expect(file.status == 200 && file.text == "# 0\n" && file["content-type"] == "text/markdown")
            #expect(file["content-disposition"] == "attachment; filename*=UTF-8''a%20%22b%22.md")
            for place in ["\(head)/1", "\(head.previous)/0", "\(head)/x", "9999/0"] {
                #expect(try await server.ask("GET", "/stores/bell/effects/\(place)").status == 404, "\(place)")
            }
        }
    }

    @Test func `who watches is shown what another does, effects and all`() async throws {
        try await TestServer.run(bell: true) { server in
            let connection = try await server.connect()
            try await connection.send("GET", try server.tail("store-bell"))
            try await server.untilHeld(1)
            _ = try await server.ask(
                "POST", "/stores/bell/actions", headers: [Self.form, "X-Weir-Actor: Rui"], body: "type=say&words=Done")
            let batch = try await connection.response().json()
            let patches = try #require(batch["ev"]?.array?.first?.array?.last?.array, "\(batch)")
            let strip: [JSONValue] = ["scrub-strip", "scrub-strip", "scrub-1", "scrub-range"]
            #expect(patches.compactMap { $0.array?[1] } == ["store-last", "entries", "effects"] + strip)
            #expect(patches[1].array?[2].string?.contains("<strong>Rui</strong> Say") == true)
            #expect(patches[2].array?[2].string?.contains("data-kind=\"toast\"") == true)
            await connection.close()
        }
    }
}

extension String {
    fileprivate var json: JSONValue { .string(self) }
}
