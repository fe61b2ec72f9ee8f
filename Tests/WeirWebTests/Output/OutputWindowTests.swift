import TestSupport
import Testing
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The lines that a run's page requests as its reader scrolls, and the numbers of the lines that a search finds.
@Suite(.timeLimit(.minutes(15)))
struct OutputWindowTests {
    private func with(
        _ lines: Int,
        _ body:
            @escaping @Sendable (_ ask: @escaping @Sendable (String) async throws -> RawResponse) async throws -> Void
    ) async throws {
        try await TestServer.run(printing: true) { server in
            let run = try await server.board.start("printer", input: ["lines": .integer(Int64(lines))], actor: "test")
                .run
            try await until { server.board.feed.output(of: run)?.head.rawValue == Int64(lines) }
            try await body { try await server.ask("GET", "/runs/\(run)/lines?\($0)") }
            server.gate.finish()
        }
    }

    private func numbers(_ answer: JSONValue) -> [Int] {
        (answer["html"]?.string ?? "").matches(of: /id="line-(\d+)"/).compactMap { Int($0.1) }
    }

    @Test func `a window has the lines around, before or after a number, from anywhere in the output`() async throws {
        try await with(2_000) { ask in
            let around = try await ask("around=700").json()
            #expect(numbers(around) == Array(600...799) && around["head"] == 2_000)
            #expect(try await numbers(ask("before=701").json()) == Array(501...700))
            #expect(try await numbers(ask("after=1900").json()) == Array(1_901...2_000))
            #expect(try await numbers(ask("before=1").json()) == [])
        }
    }

    @Test func `a line that does not exist is said, with the last lines instead`() async throws {
        try await with(300) { ask in
            let answer = try await ask("around=9999").json()
            #expect(answer["text"]?.string?.contains("9,999") == true)
            #expect(numbers(answer).last == 300)
        }
    }

    @Test func `a search finds the numbers of matches among all lines, a thousand at a time`() async throws {
        try await with(3_000) { ask in
            let all = try await ask("search=LINE").json()
            #expect(all["count"] == 3_000 && all["preceding"] == 0)
            #expect(all["numbers"]?.array?.count == 1_000)
            let rest = try await ask("search=line&after=2500").json()
            #expect(rest["preceding"] == 2_500 && rest["numbers"]?.array?.first == 2_501)
            let one = try await ask("search=line%202999").json()
            #expect(one["numbers"] == [2_999] && one["text"]?.string?.hasPrefix("1 line matches.") == true)
        }
    }

    @Test func `an unknown parameter, an unreadable number and a long text are refused with a sentence`() async throws {
        try await with(1) { ask in
            for query in ["arround=7", "around=x", "errors=maybe", "search=" + String(repeating: "a", count: 501)] {
                let answer = try await ask(query)
                #expect(answer.status == 400, "\(query)")
                #expect(try answer.json()["detail"]?.string?.isEmpty == false)
            }
        }
    }

    /// The page of an imported run that printed 600 lines, and failed because of one of them.
    private func page(failedAt line: Int, _ query: String = "") async throws -> String {
        let text = Locked("")
        try await TestServer.run(printing: true) { server in
            let run = "01m8hfcg36y8hzdgv7xqzf613e"
            func change(_ revision: Int, _ state: String) -> String {
                #"{"change":{"at":"2026-11-21T12:00:00.000Z","revision":\#(revision),"sequence":\#(revision + 1),"#
                    + #""stream":"run-\#(run)","subject":"printer","transition":true,\#(state)}}"#
            }
            let opening =
                #""case":"waiting","opening":{"actor":"ana","input":{"lines":600}},"payload":{},"phase":"idle""#
            let end =
                #""case":"failed","payload":{"code":1,"last":"no rate","line":\#(line),"message":"M."},"phase":"failed""#
            let lines = (1...600).map {
                #"{"output":{"at":"2026-11-21T12:00:00.000Z","channel":"stdout","number":\#($0),"run":"\#(run)","text":"x"}}"#
            }
            let file =
                [#"{"header":{"created":"2026-11-21T12:00:00.000Z","epoch":"e0001","format":1}}"#, change(0, opening)]
                + [change(1, end)] + lines + [#"{"end":{"changes":2,"lines":600,"runs":1}}"#]
            let body = file.joined(separator: "\n") + "\n"
            #expect(
                try await server.ask(
                    "POST", "/api/v1/imports",
                    headers: ["Content-Type: application/jsonl", "Sec-Fetch-Site: same-origin"], body: body
                ).status == 201)
            let page = try await server.ask("GET", "/runs/\(run)\(query)", headers: ["Accept: text/html"]).text
            text.withLock { $0 = page }
        }
        return text.withLock { $0 }
    }

    private func numbers(on page: String) -> [Int] {
        page.matches(of: /id="line-(\d+)"/).compactMap { Int($0.1) }
    }

    @Test
    func `the output of a failed run begins shortly before the line that says why, unless that is among the newest`()
        async throws
    {
        let early = try await page(failedAt: 42)
        #expect(numbers(on: early).prefix(5) == [39, 40, 41, 42, 43])
        #expect(early.contains(#"data-failure="42""#))
        #expect(early.contains(#"(<a href="/runs/01m8hfcg36y8hzdgv7xqzf613e#line-42">line 42</a>)"#))
        #expect(early.contains(#"href="/runs/01m8hfcg36y8hzdgv7xqzf613e?line=600#line-600""#))
        for line in [595, 9_999] {
            let other = try await page(failedAt: line)
            #expect(numbers(on: other).last == 600 && !other.contains("data-failure"))
        }
        let asked = try await page(failedAt: 42, "?line=500")
        #expect(numbers(on: asked).contains(500) && !asked.contains("data-failure"))
    }
}
