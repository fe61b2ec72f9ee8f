import TestSupport
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// What a command is answered while the journal takes nothing: it had its effect, or it had not, and never both.
@Suite(.timeLimit(.minutes(15)))
struct CommandAnswerTests {
    private static let json = "Content-Type: application/json"
    private static let form = "Content-Type: application/x-www-form-urlencoded"
    private static let runs = "/api/v1/operations/steps/runs"

    /// Sends a request as `curl --retry 5` does: again after each answer that asks for it.
    private static func insist(
        _ server: TestServer, _ method: String, _ path: String, headers: [String], body: String? = nil
    ) async throws -> RawResponse {
        var answer = try await server.ask(method, path, headers: headers, body: body)
        for _ in 0..<5 where [408, 429, 500, 502, 503, 504].contains(answer.status) {
            answer = try await server.ask(method, path, headers: headers, body: body)
        }
        return answer
    }

    @Test(arguments: [[], ["Idempotency-Key: k1"]])
    func `whoever insists on a start that cannot be recorded gets one run and its address`(key: [String]) async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            journal.refuse(true)
            let answer = try await Self.insist(
                server, "POST", Self.runs, headers: [Self.json] + key, body: #"{"label":"a"}"#)
            #expect(answer.status == 202 && answer["retry-after"] == nil)
            let begun = try answer.json()
            let id = try #require(begun["id"]?.string)
            #expect(begun["recorded"] == false && begun["detail"]?.string?.contains("do not start it again") == true)
            let address = try #require(answer["location"])
            #expect(address == "/api/v1/runs/" + id)
            let early = try await server.ask("GET", address)
            #expect(early.status == 503 && early["retry-after"] == "5")
            #expect(try early.json()["type"] == "urn:weir:problem:not-recorded")
            let page = try await server.ask("GET", "/runs/" + id, headers: ["Accept: text/html"])
            #expect(page.status == 503 && page["refresh"] == "5" && page.text.contains("has begun"))
            if !key.isEmpty {
                let again = try await Self.insist(
                    server, "POST", Self.runs, headers: [Self.json] + key, body: #"{"label":"a"}"#)
                #expect(again.status == 202)
                #expect(try again.json()["id"]?.string == id)
            }
            journal.refuse(false)
            try await until { try await server.ask("GET", address).status == 200 }
            if !key.isEmpty {
                let later = try await Self.insist(
                    server, "POST", Self.runs, headers: [Self.json] + key, body: #"{"label":"a"}"#)
                #expect(later.status == 201)
                #expect(try later.json()["id"]?.string == id)
            }
            #expect(try await server.board.runs(.init()).runs.map(\.id) == [id])
        }
    }

    @Test func `a form is led to a run that is not recorded yet, and not told to send again`() async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            journal.refuse(true)
            let form = try await server.ask(
                "POST", "/operations/steps/runs", headers: [Self.form, "Accept: text/html"], body: "label=a")
            #expect(form.status == 303 && form["location"]?.hasPrefix("/runs/") == true)
            let script = try await server.ask(
                "POST", "/operations/steps/runs", headers: [Self.form, "Accept: application/json"], body: "label=a")
            #expect(script.status == 202)
            #expect(try script.json()["cursor"] == nil)
            #expect(try script.json()["location"]?.string?.hasPrefix("/runs/") == true)
            journal.refuse(false)
        }
    }

    @Test func `a cancellation that cannot be recorded is answered once`() async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            let recorded = try await server.start().run
            journal.refuse(true)
            let begun = try await server.ask("POST", Self.runs, headers: [Self.json], body: #"{"label":"b"}"#)
            let fresh = try #require(try begun.json()["id"]?.string)
            for run in [recorded, fresh] {
                let answer = try await Self.insist(server, "POST", "/api/v1/runs/\(run)/cancellation", headers: [])
                #expect(answer.status == 202, "\(answer.text)")
                #expect(answer["location"] == "/api/v1/runs/" + run)
            }
            journal.refuse(false)
            for run in [recorded, fresh] {
                try await until {
                    try await server.ask("GET", "/api/v1/runs/" + run).json()["phase"] == "cancelled"
                }
            }
        }
    }

    @Test func `a repeated retry is one run, and without a key each is its own`() async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            let receipt = try await server.start()
            server.gate.finish()
            await server.board.outcome(of: receipt.run)
            let path = "/api/v1/runs/\(receipt.run)/retries"
            journal.refuse(true)
            let first = try await Self.insist(server, "POST", path, headers: ["Idempotency-Key: k"])
            let second = try await Self.insist(server, "POST", path, headers: ["Idempotency-Key: k"])
            #expect(first.status == 202 && second.status == 202)
            #expect(try first.json()["id"] == second.json()["id"])
            // A start with the same key is something else.
            let start = try await server.ask(
                "POST", Self.runs, headers: [Self.json, "Idempotency-Key: k"], body: #"{"label":"a","last":0}"#)
            #expect(start.status == 422)
            let other = try await Self.insist(server, "POST", path, headers: [])
            #expect(try other.json()["id"] != first.json()["id"])
            journal.refuse(false)
            try await until { try await server.board.runs(.init()).runs.count == 3 }
        }
    }

    @Test(arguments: [
        ("POST", "/actions", #"{"type":"ring","times":1}"#), ("PUT", "/state", #"{"rings":7}"#),
        ("PUT", "/state?at=1", ""), ("POST", "/reset", ""),
    ])
    func `whoever insists on changing a store that cannot be recorded changes it once`(
        method: String, path: String, body: String
    ) async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal, bell: true) { server in
            journal.refuse(true)
            let path = "/api/v1/stores/bell" + path
            let plain = try await Self.insist(server, method, path, headers: [Self.json], body: body)
            #expect(plain.status == 202 && plain["location"] == "/api/v1/stores/bell", "\(plain.text)")
            #expect(try plain.json()["recorded"] == false)
            let keyed = [Self.json, "Idempotency-Key: k"]
            for _ in 0..<2 {
                #expect(try await Self.insist(server, method, path, headers: keyed, body: body).status == 202)
            }
            journal.refuse(false)
            try await until { try server.board.store("bell").log.count == 3 }
            let again = try await Self.insist(server, method, path, headers: keyed, body: body)
            #expect(again.status == 200)
            #expect(try server.board.store("bell").log.count == 3)
            let other = try await server.ask(
                "POST", "/api/v1/stores/bell/actions", headers: keyed, body: #"{"type":"ring","times":2}"#)
            #expect(other.status == 422)
        }
    }

    @Test func `another actor's key and file are others`() async throws {
        try await TestServer.run { server in
            func send(_ actor: String) async throws -> JSONValue {
                try await server.ask(
                    "POST", "/api/v1/operations/keep/runs?filename=a.txt",
                    headers: ["Content-Type: text/plain", "Idempotency-Key: k", "X-Weir-Actor: \(actor)"], body: "abc"
                ).json()
            }
            let ana = try await send("Ana")
            let rui = try await send("Rui")
            let again = try await send("Ana")
            #expect(ana["id"] == again["id"] && ana["id"] != rui["id"])
            let file = ana["input"]?["file"]?["id"]
            #expect(file?.string?.isEmpty == false)
            #expect(file != rui["input"]?["file"]?["id"] && file == again["input"]?["file"]?["id"])
        }
    }
}
