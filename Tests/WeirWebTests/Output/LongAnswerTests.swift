import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Answers that could be as long as what is recorded: each has a part of it, and little more is in memory.
@Suite(.timeLimit(.minutes(15)))
struct LongAnswerTests {
    private static let json = "Content-Type: application/json"
    /// What an answer may have beside what counts.
    private static let margin = 64 * 1_024

    /// Ends a run and gives it lines of 10,000 bytes.
    private func printed(_ count: Int, on server: TestServer, _ journal: any Journal) async throws -> [String] {
        let id = try await server.start().run
        server.gate.finish()
        await server.board.outcome(of: id)
        let lines = (1...count).map { "\($0) " + String(repeating: "y", count: 10_000) }
        _ = try await journal.appendOutput(
            run: id, lines: lines.map { OutputDraft(at: Timestamp(milliseconds: 0), text: $0) }, after: nil)
        return [id] + lines
    }

    /// Reports a run with so many states of 200,000 bytes.
    private func report(_ run: String, states: Int, to server: TestServer) async throws {
        let path = "/api/v1/streams/reported/deploy/\(run)"
        let blob = String(repeating: "y", count: 200_000)
        let opening = "{\"input\":{\"blob\":\"\(blob)\"}}"
        #expect(try await server.ask("PUT", path, headers: [Self.json], body: opening).status == 201)
        for number in 0..<states {
            let state = "{\"state\":\"s\(number)\",\"blob\":\"\(blob)\"}"
            #expect(try await server.ask("POST", path, headers: [Self.json], body: state).status == 204)
        }
    }

    @Test func `an answer with long lines has a part of them, and all come in several`() async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            let printed = try await printed(300, on: server, journal)
            let (id, lines) = (printed[0], Array(printed[1...]))
            var (found, next, answers) = ([String](), Int64(0), 0)
            while true {
                let answer = try await server.ask("GET", "/api/v1/runs/\(id)/output?after=\(next)")
                #expect(answer.body.count < Board.answerBytes + Self.margin)
                let json = try answer.json()
                found += (json["lines"]?.array ?? []).compactMap { $0["text"]?.string }
                answers += 1
                next = try #require(json["next"]?.integer)
                guard json["more"] == true else { break }
            }
            #expect(found == lines && answers > 10)
            #expect(try await server.ask("GET", "/runs/\(id)/output").text == lines.map { $0 + "\n" }.joined())
            let stream = try await server.ask("GET", "/api/v1/streams/output-\(id)?offset=-1")
            #expect(stream.body.count < Board.answerBytes + Self.margin && stream["stream-up-to-date"] == nil)
            #expect(journal.longestRead <= 64)
        }
    }

    @Test(arguments: [2, 10_000])
    func `an answer with large changes has a part of them, and all come in several`(tail: Int) async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal, tailLimit: tail, reporting: true) { server in
            try await report("big", states: 6, to: server)
            for feed in ["run-big", "board"] {
                var (cases, query) = ([String](), "")
                while true {
                    let answer = try await server.ask("GET", "/api/v1/feeds/\(feed)/changes\(query)")
                    #expect(answer.body.count < Board.answerBytes + Self.margin)
                    let json = try answer.json()
                    cases += (json["changes"]?.array ?? []).compactMap { $0["case"]?.string }
                    guard json["more"] == true else { break }
                    query = "?after=" + (json["next"]?.string ?? "")
                }
                #expect(cases.suffix(6) == ["s0", "s1", "s2", "s3", "s4", "s5"])
            }
            let read = try await server.ask("GET", "/api/v1/streams/reported/deploy/big")
            #expect(read.body.count < Board.answerBytes + Self.margin && read["stream-up-to-date"] == nil)
            #expect(journal.longestRead <= 8)
        }
    }

    @Test func `a list of runs with large input has a part of them, and where to continue`() async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal, reporting: true) { server in
            for number in 0..<12 { try await report("r\(number)", states: 0, to: server) }
            var (found, query) = ([String](), "?limit=50")
            while true {
                let answer = try await server.ask("GET", "/api/v1/runs\(query)")
                #expect(answer.body.count < Board.answerBytes + Self.margin)
                let json = try answer.json()
                found += (json["runs"]?.array ?? []).compactMap { $0["id"]?.string }
                guard let next = json["next"]?.integer else { break }
                query = "?limit=50&before=\(next)"
            }
            #expect(found == (0..<12).reversed().map { "r\($0)" })
            let table = try await server.ask("GET", "/runs/export?format=csv").text
            #expect(table.split(separator: "\r\n").count == 13)
            #expect(journal.longestRead <= 9)
        }
    }

    @Test func `where too much waits for its readers, large answers are refused and small ones are not`() async throws {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            let id = try await printed(300, on: server, journal)[0]
            let memory = server.dashboard.services.answers
            var share: BodyBudget.Share? = memory.share()
            #expect(share?.grow(by: WebConfiguration().answerMemory) == true)
            for path in ["/runs/\(id)/output", "/api/v1/runs/\(id)/output"] {
                let refused = try await server.ask("GET", path)
                #expect(refused.status == 503 && refused["retry-after"] == "5", "\(path)")
                #expect(try refused.json()["detail"] == "The server is sending too much at once. Try again later.")
            }
            #expect(try await server.ask("GET", "/api/v1/runs/\(id)/output?limit=2").status == 200)
            #expect(try await server.ask("HEAD", "/api/v1/runs/\(id)/output").status == 200)
            share = nil
            #expect(try await server.ask("GET", "/api/v1/runs/\(id)/output").status == 200)
            try await until { memory.taken == 0 }
        }
    }

    @Test func `a client that reads nothing of a download holds a part of it, and gives that back when it leaves`()
        async throws
    {
        let journal = WatchedJournal()
        try await TestServer.run(journal: journal) { server in
            let id = try await printed(2_000, on: server, journal)[0]
            let memory = server.dashboard.services.answers
            // The API's answers fit into the buffers of the system; these do not.
            var clients: [RawConnection] = []
            for count in 1...3 {
                let client = try await server.connect(isReading: false)
                clients.append(client)
                try await client.send("GET", "/runs/\(id)/output")
                try await until { memory.taken > (count - 1) * Board.answerBytes }
            }
            #expect(memory.taken < 3 * 2 * Board.answerBytes)
            for client in clients { try await client.reset() }
            try await until { memory.taken == 0 }
        }
    }
}
