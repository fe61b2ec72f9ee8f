import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct OutputTests {
    /// Starts a run that has printed so many lines.
    private func printed(_ lines: Int, on server: TestServer) async throws -> String {
        let receipt = try await server.board.start("printer", input: ["lines": .integer(Int64(lines))], actor: "test")
        try await until { server.board.feed.output(of: receipt.run)?.head.rawValue == Int64(lines) }
        return receipt.run
    }

    private func link(_ name: String, in page: RawResponse) throws -> String {
        let section = try #require(page.text.range(of: #"<section class="card output""#))
        let rest = page.text[section.lowerBound...]
        let value = try #require(rest.range(of: "data-\(name)=\"")).upperBound
        return String(rest[value...].prefix { $0 != "\"" })
    }

    private func html(_ json: JSONValue) -> String {
        (json["ev"]?.array ?? []).flatMap { $0.array?[3].array ?? [] }.compactMap { $0.array?[2].string }.joined()
    }

    @Test func `what was not held for lines does not say that a wait was applied`() async throws {
        try await TestServer.run(printing: true) { server in
            let run = try await printed(3, on: server)
            func ask(_ query: String) async throws -> RawResponse {
                try await server.ask("GET", "/api/v1/runs/\(run)/output\(query)", headers: ["Prefer: wait=1"])
            }
            for query in ["", "?after=2"] {
                #expect(try await ask(query)["preference-applied"] == nil, "\(query)")
            }
            let program = try await server.connect()
            try await program.send("GET", "/api/v1/runs/\(run)/output?after=3", headers: ["Prefer: wait=60"])
            try await server.untilHeld(1)
            server.gate.step()
            let answer = try await program.response()
            #expect(answer["preference-applied"] == "wait=60")
            #expect(try answer.json()["next"] == 4)
            await program.close()
            server.gate.finish()
        }
    }

    @Test func `a run's page shows its lines, and its poll brings those that follow`() async throws {
        try await TestServer.run(printing: true) { server in
            let run = try await printed(3, on: server)
            let page = try await server.ask("GET", "/runs/\(run)", headers: ["Accept: text/html"])
            #expect(page.text.contains(#"<li id="line-3" value="3"><span class="ansi-green">line</span> 3</li>"#))
            #expect(try link("sequence", in: page) == "3")
            let viewer = try await server.connect()
            try await viewer.send("GET", try link("next", in: page))
            try await server.untilHeld(1)
            server.gate.step()
            let answer = try await viewer.response()
            #expect(answer["cache-control"] == "public, max-age=20")
            let json = try answer.json()
            #expect(json["k"] == "batch" && json["from"] == 3 && json["to"] == 4 && json["more"] == false, "\(json)")
            #expect(html(json).contains(#"<li id="line-4" value="4" class="stderr">&lt;line&gt; 4</li>"#))
            #expect(html(json).contains("4 lines"))
            server.gate.finish()
            await server.board.outcome(of: run)
            let next = try #require(json["next"]?.string)
            #expect(try await server.ask("GET", next).json()["k"] == "end")
            let over = try await server.ask("GET", "/runs/\(run)", headers: ["Accept: text/html"])
            #expect(over.text.contains("line-4") && !over.text.contains("live/1/output-"))
        }
    }

    @Test
    func `a line that has not ended is on the page, in its poll, in the API and among the events, without a cursor`()
        async throws
    {
        try await TestServer.run(printing: true) { server in
            let run = try await server.board.start("printer", input: ["lines": 3, "prompt": 4], actor: "test").run
            try await until { server.board.feed.output(of: run)?.head == 3 }
            let before = try await server.ask("GET", "/runs/\(run)", headers: ["Accept: text/html"])
            let (viewer, program) = (try await server.connect(), try await server.connect())
            try await viewer.send("GET", try link("next", in: before))
            let path = "/api/v1/runs/\(run)/output?after=3"
            try await program.send("GET", path + "&wait=20&unfinished=0")
            try await server.untilHeld(2)
            server.gate.step()
            let poll = try await viewer.response()
            #expect(poll["cache-control"] == "public, max-age=1")
            #expect(try poll.json()["k"] == "empty" && poll.json()["unfinished"] == "<div><p>&lt;prompt&gt;</p></div>")
            let answer = try await program.response().json()
            #expect(answer["lines"] == [] && answer["next"] == 3)
            #expect(answer["unfinished"] == ["revision": 1, "lines": [["channel": "stdout", "text": "<prompt>"]]])
            #expect(try await server.ask("GET", path).json()["unfinished"]?["revision"] == 1)
            #expect(try await server.ask("GET", path + "&unfinished=x").status == 400)
            let after = try await server.ask("GET", "/runs/\(run)", headers: ["Accept: text/html"])
            #expect(after.text.contains("<p>&lt;prompt&gt;</p>"))
            server.gate.finish()
            await server.board.outcome(of: run)
            #expect(try await server.ask("GET", "/runs/\(run)/output").text.contains("prompt") == false)
        }
    }

    @Test func `whoever is far behind gets the newest 500 lines at once, and no gap`() async throws {
        try await TestServer.run(printing: true) { server in
            let run = try await printed(2_000, on: server)
            let epoch = server.board.epoch
            let json = try await server.ask("GET", "/live/1/output-\(run)/\(epoch)/7/now").json()
            #expect(json["k"] == "batch" && json["from"] == 7 && json["to"] == 2_000)
            #expect(html(json).contains(#"id="line-1501""#) && !html(json).contains(#"id="line-1500""#))
            #expect(html(json).contains("2,000 lines"))
            let near = try await server.ask("GET", "/live/1/output-\(run)/\(epoch)/1990/now").json()
            #expect(near["ev"]?.array?.count == 1 && !html(near).contains("<ol"))
            let ahead = try await server.ask("GET", "/live/1/output-\(run)/\(epoch)/2001/now").json()
            #expect(ahead["k"] == "reset" && ahead["why"] == "future")
            let snap = try await server.ask("GET", "/live/1/output-\(run)--pt-br/snap").json()
            #expect(snap["at"] == 2_000 && snap["html"]?.string?.hasPrefix(#"<section class="card output""#) == true)
            #expect(snap["html"]?.string?.contains("2.000 linhas") == true)
            server.gate.finish()
        }
    }

    @Test func `all of it can be downloaded, as it was printed`() async throws {
        try await TestServer.run(printing: true) { server in
            let run = try await printed(3_500, on: server)
            let answer = try await server.ask("GET", "/runs/\(run)/output")
            #expect(answer["content-type"] == "text/plain; charset=utf-8")
            #expect(answer["content-disposition"] == "attachment; filename=\"run-\(run).txt\"")
            #expect(answer["x-content-type-options"] == "nosniff")
            #expect(answer.text == (1...3_500).map { "\u{1B}[32mline\u{1B}[0m \($0)\n" }.joined())
            #expect(try await server.ask("HEAD", "/runs/\(run)/output").status == 200)
            #expect(try await server.ask("GET", "/runs/nobody/output").status == 404)
            #expect(try await server.ask("POST", "/runs/\(run)/output").status == 405)
            server.gate.finish()
        }
    }

    @Test func `a line in pieces is one line of the download, and the API marks the pieces`() async throws {
        try await TestServer.run(reporting: true) { server in
            let path = "/api/v1/streams/reported/deploy/r1"
            _ = try await server.ask("PUT", path, body: "")
            let body = """
                [{"line":"a","continues":true},{"line":"x","channel":"stderr"},{"line":"b","continues":true},{"line":"c"}]
                """
            let answer = try await server.ask("POST", path, headers: ["Content-Type: application/json"], body: body)
            #expect(answer.status == 204)
            #expect(try await server.ask("GET", "/runs/r1/output").text == "a\nx\nbc\n")
            #expect(try await server.ask("GET", "/api/v1/streams/output-r1/text").text == "a\nx\nbc\n")
            let lines = try await server.ask("GET", "/api/v1/runs/r1/output").json()["lines"]?.array
            #expect(lines?.map { $0["continues"]?.bool ?? false } == [true, false, true, false])
        }
    }

    @Test func `a program reads lines from a number on, and waits for more`() async throws {
        try await TestServer.run(printing: true) { server in
            let run = try await printed(5, on: server)
            let path = "/api/v1/runs/\(run)/output"
            let first = try await server.ask("GET", path + "?limit=2").json()
            #expect(first["lines"]?.array?.compactMap { $0["number"]?.integer } == [1, 2])
            #expect(first["lines"]?.array?.first?["text"] == "\u{1B}[32mline\u{1B}[0m 1")
            #expect(first["lines"]?.array?.first?["channel"] == "stdout")
            #expect(first["next"] == 2 && first["count"] == 5 && first["more"] == true && first["ended"] == false)
            let viewer = try await server.connect()
            try await viewer.send("GET", path + "?after=5&wait=20")
            try await until { server.dashboard.pollResponder.held == 1 }
            server.gate.step()
            let next = try await viewer.response().json()
            #expect(next["lines"]?.array?.compactMap { $0["text"]?.string } == ["<line> 6"])
            #expect(next["lines"]?.array?.first?["channel"] == "stderr" && next["next"] == 6)
            server.gate.finish()
            await server.board.outcome(of: run)
            let end = try await server.ask("GET", path + "?after=6&wait=20").json()
            #expect(end["lines"] == [] && end["ended"] == true && end["next"] == 6 && end["more"] == false)
            // Who asks for what will never be printed goes on from the last line.
            #expect(try await server.ask("GET", path + "?after=100").json()["next"] == 6)
            #expect(try await server.ask("GET", path + "?after=-1").status == 400)
            #expect(try await server.ask("GET", path + "?limit=1001").status == 400)
            #expect(try await server.ask("GET", "/api/v1/runs/nobody/output").status == 404)
        }
    }

    @Test func `a server that has only the journal shows the lines all the same, and ends their feed`() async throws {
        let journal = MemoryJournal(epoch: "testepoch0001")
        let run = Shared("")
        try await TestServer.run(journal: journal, printing: true) { server in
            run.value = try await printed(700, on: server)
            server.gate.finish()
            await server.board.outcome(of: run.value)
        }
        try await TestServer.run(journal: journal, printing: true) { server in
            let feed = "/live/1/output-\(run.value)/\(server.board.epoch)"
            let page = try await server.ask("GET", feed + "/650/now").json()
            #expect(page["k"] == "batch" && page["to"] == 700 && html(page).contains("line-651"))
            #expect(try await server.ask("GET", feed + "/700/now").json()["k"] == "end")
        }
        try await TestServer.run(journal: journal, printing: true) { server in
            let page = try await server.ask("GET", "/runs/\(run.value)", headers: ["Accept: text/html"])
            #expect(page.text.contains(#"id="line-601""#) && page.text.contains(#"id="line-700""#))
            #expect(!page.text.contains(#"id="line-600""#) && page.text.contains(#"line=600#line-600""#))
            let text = try await server.ask("GET", "/runs/\(run.value)/output").text
            #expect(text.split(separator: "\n").count == 700)
        }
    }

    @Test func `a run that prints nothing has no place for lines`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start()
            let page = try await server.ask("GET", "/runs/\(receipt.run)", headers: ["Accept: text/html"])
            #expect(!page.text.contains("data-feed"))
            #expect(try await server.ask("GET", "/runs/\(receipt.run)/output").text.isEmpty)
            server.gate.finish()
        }
    }

    @Test func `a run that ended without printing has no place for lines, while one that goes on has`() async throws {
        try await TestServer.run(printing: true) { server in
            let run = try await server.board.start("printer", input: ["lines": 0], actor: "test").run
            let before = try await server.ask("GET", "/runs/\(run)", headers: ["Accept: text/html"])
            #expect(before.text.contains("id=\"output\""))
            server.gate.finish()
            await server.board.outcome(of: run)
            let after = try await server.ask("GET", "/runs/\(run)", headers: ["Accept: text/html"])
            #expect(!after.text.contains("id=\"output\""))
        }
    }
}
