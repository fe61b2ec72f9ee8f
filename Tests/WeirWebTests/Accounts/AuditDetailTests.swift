import Foundation
import TestSupport
import Testing
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The details of the audit's entries, as the table in Documentation/access.md lists them.
@Suite(.timeLimit(.minutes(15)))
struct AuditDetailTests {
    private static let json = ["Content-Type: application/json", "Sec-Fetch-Site: same-origin"]

    private func detail(_ server: AccountServer, _ action: AuditAction) async throws -> String? {
        try await server.directory.audit.page(AuditFilter(action: action)).records.first?.entry.detail
    }

    @Test func `the table in the documentation has every event`() throws {
        let guide = URL(filePath: #filePath).appending(path: "../../../../Documentation/access.md").standardizedFileURL
        let table = try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "\n| events |")
        let events = try #require(table.last?.components(separatedBy: "\n\n").first)
        for action in AuditAction.allCases { #expect(events.contains("`\(action.rawValue)`"), "\(action)") }
    }

    @Test func `a command on a run or a store states what was done to it`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            func post(_ path: String, _ body: String, _ method: String = "POST") async throws -> RawResponse {
                try await server.ask(method, path, Self.json + [root], body: body)
            }
            let acted = try await post("/api/v1/stores/bell/actions", #"{"type": "hand", "name": "a"}"#)
            #expect(acted.status == 200)
            #expect(try await detail(server, .act) == "action hand")
            let sequence = try #require(
                try await server.ask("GET", "/api/v1/stores/bell", [root]).json()["sequence"]?.integer)
            #expect(try await post("/api/v1/stores/bell/state?at=\(sequence)", "", "PUT").status == 200)
            #expect(try await detail(server, .restore) == "to change \(sequence)")
            #expect(try await post("/api/v1/schedules/secret/pause", #"{"reason": "Holiday."}"#).status == 200)
            #expect(try await detail(server, .pauseSchedule) == "Holiday.")
            let run = try await server.board.start("steps", input: ["label": "a", "last": 0], actor: "x").run
            server.gate.finish()
            await server.board.outcome(of: run)
            let list = try await server.ask("GET", "/runs/export?format=jsonl&operation=steps", [root])
            #expect(list.status == 200)
            let exported = try #require(try await detail(server, .export))
            #expect(exported.hasPrefix("jsonl, filter: ") && exported.contains("operation=steps"))
            let file = ["Content-Type: application/jsonl", "Sec-Fetch-Site: same-origin", root]
            #expect(try await server.ask("POST", "/api/v1/imports", file, body: list.text).status == 200)
            #expect(try await detail(server, .importRuns) == "imported: 0 runs, skipped: 1 runs (\(run))")
            #expect(
                try await post("/api/v1/runs/\(run)/decision", #"{"step": "s", "decision": "approve"}"#).status >= 400)
            #expect(try await detail(server, .decide)?.hasPrefix("approve, step s") == true)
        }
    }

    @Test func `a report states the run that it opens, and a dismissal the notice`() async throws {
        let journal = WatchedJournal()
        journal.notices = [JournalNotice(.missing, at: Timestamp(milliseconds: 6))]
        try await AccountServer.run(journal: journal) { server in
            let root = try await server.cookie(of: "root")
            let opened = try await server.ask(
                "PUT", "/api/v1/streams/reported/outside/r-1", Self.json + [root], body: "{}")
            #expect(opened.status == 201)
            #expect(try await detail(server, .report) == "run r-1")
            let dismissed = try await server.ask(
                "POST", "/api/v1/notices/missing-6/dismissal", Self.json + [root], body: "")
            #expect(dismissed.status == 200)
            #expect(try await detail(server, .dismissNotice) == "notice missing-6")
        }
    }

    @Test func `a change of a right states the rights before and after, with what they are for`() async throws {
        try await AccountServer.run { server in
            let directory = server.directory
            let narrow = StoredAssignment(role: "operator", operations: ["backup*"], tags: ["db"])
            try await directory.addUser("ana", password: AccountServer.password, roles: [narrow], by: .system)
            #expect(try await detail(server, .addUser) == "roles: operator (operations backup*; tags db)")
            try await directory.setRoles([StoredAssignment(role: "viewer")], of: "ana", by: .system)
            #expect(
                try await detail(server, .changeRoles)
                    == "before: operator (operations backup*; tags db); after: viewer")
            let ana = Principal(.person, name: "ana", assignments: [StoredAssignment(role: "viewer").assignment])
            let token = try await directory.createToken(
                "ci", roles: [StoredAssignment(role: "viewer", operations: ["steps"])], days: 7, by: ana
            ).record
            #expect(
                try await detail(server, .createToken)
                    == "“ci”; roles: viewer (operations steps); expires after 7 days")
            try await directory.revokeToken(token.id, by: .system, anybody: true)
            #expect(
                try await detail(server, .revokeToken)?.hasPrefix(
                    "“ci” by ana; roles: viewer (operations steps); expires at ") == true)
            try await directory.setPassword("battery staple", of: "ana", by: .system)
            #expect(try await detail(server, .changePassword) == "ended: 0 sessions")
            try await directory.removeUser("ana", by: .system)
            #expect(
                try await detail(server, .removeUser) == "before: viewer; ended: 0 sessions, 0 tokens, 0 links")
        }
    }

    @Test func `the scheme that a proxy sends counts only from a trusted proxy`() async throws {
        try await AccountServer.run { server in
            let root = try await server.cookie(of: "root")
            // The server trusts no proxy, and the connection is not encrypted: both schemes are its own.
            let answer = try await server.ask(
                "POST", "/api/v1/operations/steps/runs",
                ["Content-Type: application/json", root, "Origin: http://localhost", "X-Forwarded-Proto: https"],
                body: #"{"label": "a", "last": 0}"#)
            #expect(answer.status == 201)
        }
    }
}
