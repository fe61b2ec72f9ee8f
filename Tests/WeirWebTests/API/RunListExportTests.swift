import Foundation
import TestSupport
import Testing
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The list of runs: found, followed, taken away as a table, and changed many at a time.
@Suite(.timeLimit(.minutes(15)))
struct RunListExportTests {
    private static let html = "Accept: text/html"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    private func ended(on server: TestServer, _ label: String) async throws -> String {
        let id = try await server.start(label).run
        server.gate.finish()
        await server.board.outcome(of: id)
        return id
    }

    @Test func `a part of a word finds a run, and is marked where it is found`() async throws {
        try await TestServer.run { server in
            let id = try await ended(on: server, "pineapple <b>")
            _ = try await ended(on: server, "pear")
            let page = try await server.ask("GET", "/runs?text=neapp", headers: [Self.html]).text
            #expect(page.contains("pi<mark>neapp</mark>le &lt;b&gt;"))
            #expect(page.contains("row-\(id)") && !page.contains("pear"))
            let byTitle = try await server.ask("GET", "/api/v1/runs?text=step+pear").json()["runs"]?.array
            #expect(byTitle?.count == 1, "the operation's name counts")
        }
    }

    @Test func `a filtered list says where its changes are asked for, and each filter where the list is without it`()
        async throws
    {
        try await TestServer.run { server in
            _ = try await ended(on: server, "apple")
            let page = try await server.ask(
                "GET", "/runs?text=apple&phase=succeeded&sort=-duration&within=7d", headers: [Self.html]
            ).text
            #expect(page.contains("data-filtered") && page.contains("data-next=\"/live/1/"))
            #expect(page.contains("href=\"/runs?text=apple&amp;within=7d&amp;sort=-duration\""))
            #expect(page.contains("href=\"/runs?phase=succeeded&amp;within=7d&amp;sort=-duration\""))
            #expect(page.contains("aria-sort=\"descending\"><a href=\"/runs?phase=succeeded&amp;text=apple"))
            let sequence = server.board.feed.head(of: .board)
            let next = "/runs/after/\(server.board.epoch).\(sequence.rawValue - 1)?text=apple"
            #expect(page.contains("/runs/after/\(server.board.epoch).\(sequence)?phase=succeeded&amp;text=apple"))
            #expect(try await server.ask("GET", next, headers: [Self.html]).text.contains("data-filtered"))
            #expect(!(try await server.ask("GET", "/runs", headers: [Self.html]).text.contains("data-filtered")))
        }
    }

    @Test func `pages in another order follow each other`() async throws {
        try await TestServer.run { server in
            var all: Set<String> = []
            for number in 0..<5 { all.insert(try await ended(on: server, "a\(number)")) }
            for sort in ["duration", "-duration", "phase", "started", "-started"] {
                var found: [String] = []
                var query = "sort=\(sort)&limit=2"
                while true {
                    let page = try await server.ask("GET", "/api/v1/runs?" + query).json()
                    found += page["runs"]?.array?.compactMap { $0["id"]?.string } ?? []
                    guard let beyond = page["beyond"]?.string, let next = page["next"]?.integer else { break }
                    query =
                        "sort=\(sort)&limit=2"
                        + (sort == "-started" && next % 2 == 0 ? "&before=\(next)" : "&beyond=\(beyond)")
                }
                #expect(Set(found) == all && found.count == 5, "\(sort)")
            }
            for bad in ["sort=x", "sort=duration&beyond=1", "sort=-duration&beyond=a.b"] {
                #expect(try await server.ask("GET", "/api/v1/runs?" + bad).status == 400, "\(bad)")
            }
        }
    }

    @Test func `a filter that is not understood lists, exports and changes nothing, and the nearest name is told`()
        async throws
    {
        try await TestServer.run { server in
            let going = try await server.start("a", last: 3).run
            for (query, name) in [
                ("phse=failed", "phse"), ("phase=nonsense", "phase"), ("from=garbage", "from"), ("text=%23", "text"),
                ("phase=active&phase=failed", "phase"), ("sort=duration&before=9", "before"),
            ] {
                for path in [
                    "/api/v1/runs?", "/api/v1/runs/export?", "/runs/export?", "/runs/change?change=cancel&all=1&",
                ] {
                    let answer = try await server.ask("GET", path + query)
                    #expect(answer.status == 400, "\(path)\(query)")
                    #expect(try answer.json()["errors"]?.array?.first?["field"]?.string == name, "\(path)\(query)")
                }
                let page = try await server.ask("GET", "/runs?" + query, headers: [Self.html])
                #expect(page.status == 200 && !page.text.contains(going), "\(query)")
                #expect(!page.text.contains("/runs/change") && !page.text.contains("/runs/export"), "\(query)")
            }
            for path in ["/runs/change?change=cancel&change=retry&all=1", "/runs/export?format=csv&format=json"] {
                #expect(try await server.ask("GET", path).status == 400, "\(path)")
            }
            let near = try await server.ask("GET", "/api/v1/runs?phse=failed").json()["detail"]?.string
            #expect(near == "There is no parameter “phse”. Did you mean “phase”?")
            #expect(try await server.ask("GET", "/api/v1/runs/\(going)?att=1").status == 400)
            for query in ["phase=Running", "operation=steps&phase=En+curso", "startedAfter=2000-01-01T00:00:00+01:00"] {
                let found = try await server.ask("GET", "/api/v1/runs?" + query).json()["runs"]?.array
                #expect(found?.first?["id"]?.string == going, "\(query)")
            }
        }
    }

    @Test func `a page with a slash at its end moves, a head has no false length, and a coded body is refused`()
        async throws
    {
        try await TestServer.run { server in
            let moved = try await server.ask("GET", "/runs/?phase=failed", headers: [Self.html])
            #expect(moved.status == 308 && moved["location"] == "/runs?phase=failed")
            #expect(try await server.ask("GET", "/api/v1/runs/").status == 404)
            #expect(try await server.ask("HEAD", "/runs/export")["content-length"] == nil)
            let path = "/api/v1/operations/steps/runs"
            let json = "Content-Type: application/json"
            let coded = try await server.ask("POST", path, headers: [json, "Content-Encoding: gzip"], body: "x")
            #expect(coded.status == 415)
            let marked = try await server.ask("POST", path, headers: [json], body: "\u{FEFF}{\"label\":\"a\"}")
            #expect(marked.status == 201)
            server.gate.finish()
        }
    }

    @Test func `a list is had as a table and as JSON, and no cell is a formula`() async throws {
        try await TestServer.run { server in
            let ids = [try await ended(on: server, "=1+1"), try await ended(on: server, "a \"b\", c")]
            let table = try await server.ask("GET", "/runs/export?format=csv")
            #expect(table["content-type"] == "text/csv; charset=utf-8")
            #expect(table["content-disposition"]?.hasSuffix(".csv\"") == true)
            let lines = table.text.split(separator: "\r\n")
            #expect(lines.count == 3 && lines[0].hasPrefix("id,operation,title,phase"))
            #expect(lines[0].hasSuffix(",message,attempt") && lines[1].hasSuffix(",1"))
            #expect(lines[1].hasPrefix(ids[1]) && lines[1].contains(#""{""label"":""a \""b\"", c"""#))
            let document = try await server.ask("GET", "/runs/export?format=json&text=1").json()
            #expect(document["runs"]?.array?.compactMap { $0["id"]?.string } == [ids[0]])
            #expect(try await server.ask("GET", "/api/v1/runs/export?format=json&operation=keep").json()["runs"] == [])
            #expect(try await server.ask("GET", "/runs/export?format=xls").status == 400)
        }
    }

    @Test(arguments: [
        ("=1+1", "\"'=1+1\""), ("+a", "\"'+a\""), ("-a", "\"'-a\""), ("@a", "\"'@a\""), ("\ta", "\"'\ta\""),
        ("-1.5", "-1.5"), ("a=b", "a=b"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""), ("", ""),
    ])
    func `what a spreadsheet would run is a text`(value: String, cell: String) {
        #expect(RunListExport.cell(value) == cell)
    }

    @Test func `many runs are cancelled after a page says which, each by its own rights, and once`() async throws {
        let known = KnownNames()
        try await TestServer.run(secret: true, access: known.access) { server async throws in
            let going = try await server.start("a", last: 3).run
            let ended = try await server.start("b").run
            _ = try await server.board.cancel(ended, actor: "x")
            await server.board.outcome(of: ended)
            let secret = try await server.board.start("secret", input: ["label": "a"], actor: "x").run
            func ask(_ method: String, _ path: String, _ name: String, _ body: String = "") async throws -> RawResponse
            {
                try await server.ask(method, path, headers: ["X-Test: \(name)", Self.html, Self.form], body: body)
            }
            let runs = [going, ended, secret, "nothere"].map { "run=\($0)" }.joined(separator: "&")
            let plan = try await ask("GET", "/runs/change?change=cancel&" + runs, "otto").text
            #expect(plan.contains("<strong>1</strong> will be cancelled"))
            #expect(plan.contains("<strong>1</strong> already ended"))
            #expect(plan.contains("<strong>2</strong> not there any more"), "what may not be seen does not exist")
            #expect(try await server.board.run(going).endedAt == nil)
            let all = try await ask("GET", "/runs/change?change=cancel&all=1", "otto").text
            #expect(all.contains("value=\"\(going)\"") && !all.contains(secret))
            #expect(try await ask("POST", "/runs/cancellations", "vera", runs).status == 403)
            let report = try await ask("POST", "/runs/cancellations", "otto", runs).text
            #expect(report.contains("<strong>1</strong> cancelled"))
            #expect(report.contains("<strong>1</strong> already ended"))
            #expect(report.contains("<strong>2</strong> not there any more"))
            await server.board.outcome(of: going)
            #expect(try await server.board.run(going).state.phase == .cancelled)
            #expect(try await server.board.run(secret).endedAt == nil)
        }
    }

    @Test func `many runs are tried again once, however often the form is sent`() async throws {
        try await TestServer.run { server in
            let ids = [try await ended(on: server, "a"), try await ended(on: server, "b")]
            let plan = try await server.ask("GET", "/runs/change?change=retry&all=1", headers: [Self.html]).text
            #expect(plan.contains("<strong>2</strong> will be tried again"))
            let start = try #require(plan.range(of: "name=\"key\" value=\"")).upperBound
            let key = plan[start...].prefix { $0 != "\"" }
            for _ in 0..<2 {
                let body = "key=\(key)&" + ids.map { "run=\($0)" }.joined(separator: "&")
                let report = try await server.ask("POST", "/runs/retries", headers: [Self.html, Self.form], body: body)
                #expect(report.text.contains("<strong>2</strong> tried again"))
            }
            #expect(try await server.board.runs(.init()).runs.count == 4)
            for body in ["", "run=" + (0...500).map(String.init).joined(separator: "&run=")] {
                let answer = try await server.ask("POST", "/runs/retries", headers: [Self.form], body: body)
                #expect(answer.status == 400)
            }
            #expect(try await server.ask("GET", "/runs/change?change=x").status == 400)
            server.gate.finish()
        }
    }

    // K13
    @Test func `runs are deleted after a page says which, by administrators, and by the API one at a time`()
        async throws
    {
        let known = KnownNames()
        try await TestServer.run(access: known.access) { server async throws in
            let going = try await server.start("c", last: 3).run
            var ids: [String] = []
            for label in ["a", "b"] {
                let id = try await server.start(label).run
                _ = try await server.board.cancel(id, actor: "x")
                await server.board.outcome(of: id)
                ids.append(id)
            }
            let body = (ids + [going]).map { "run=\($0)" }.joined(separator: "&")
            func ask(_ method: String, _ path: String, _ name: String, _ body: String = "") async throws -> RawResponse
            {
                try await server.ask(method, path, headers: ["X-Test: \(name)", Self.html, Self.form], body: body)
            }
            let forbidden = try await ask("GET", "/runs/change?change=delete&" + body, "otto").text
            #expect(forbidden.contains("<strong>2</strong> not allowed for you"))
            #expect(try await ask("POST", "/runs/deletions", "otto", body).status == 403)
            #expect(try await ask("DELETE", "/api/v1/runs/\(ids[0])", "otto").status == 403)
            #expect(try await ask("DELETE", "/api/v1/runs/\(going)", "ada").status == 409)
            #expect(try await ask("DELETE", "/api/v1/runs/\(ids[0])", "ada").status == 204)
            let gone = try await ask("DELETE", "/api/v1/runs/\(ids[0])", "ada")
            #expect(gone.status == 410)
            #expect(try await server.ask("GET", "/api/v1/runs/\(ids[0])", headers: ["X-Test: ada"]).status == 410)
            let plan = try await ask("GET", "/runs/change?change=delete&" + body, "ada").text
            #expect(plan.contains("<strong>1</strong> will be deleted"))
            #expect(plan.contains("<strong>1</strong> still running"))
            #expect(plan.contains("<strong>1</strong> not there any more"))
            let report = try await ask("POST", "/runs/deletions", "ada", body).text
            #expect(report.contains("<strong>1</strong> deleted"))
            #expect(try await server.board.runs(.init()).runs.map(\.id) == [going])
            server.gate.finish()
        }
    }

    @Test func `after a failure, the report of a deletion of many runs says which were deleted, failed and not tried`()
        async throws
    {
        let journal = FailingDeletions()
        let ids = (0..<120).map { "r\($0)" }
        _ = try await journal.append(
            ids.map { id in
                ChangeDraft(
                    stream: .run(id), subject: "steps", revision: 0, at: Timestamp(milliseconds: 1),
                    state: StateRecord(caseName: "done", phase: .succeeded), isTransition: true, cause: nil,
                    opening: RunOpening(actor: "anna", input: [:]))
            })
        try await TestServer.run(journal: journal) { server in
            let body = ids.map { "run=\($0)" }.joined(separator: "&")
            let headers = [Self.html, Self.form]
            let report = try await server.ask("POST", "/runs/deletions", headers: headers, body: body).text
            #expect(report.contains("<strong>50</strong> deleted"))
            #expect(report.ranges(of: "The disk is on fire.").count == 50)
            #expect(report.ranges(of: "This was not tried").count == 20)
            #expect(try await server.board.runs(RunQuery(limit: 500)).runs.count == 70)
        }
    }

    @Test func `a run that retries a deleted one says so`() async throws {
        try await TestServer.run(access: KnownNames().access) { server in
            let first = try await server.start("a").run
            _ = try await server.board.cancel(first, actor: "x")
            await server.board.outcome(of: first)
            let path = "/api/v1/runs/\(first)"
            let answer = try await server.ask("POST", path + "/retries", headers: ["X-Test: ada"])
            let again = try #require(try answer.json()["id"]?.string)
            let headers = ["X-Test: ada", Self.html]
            let before = try await server.ask("GET", "/runs/\(again)", headers: headers).text
            #expect(before.contains("\(first.suffix(6))</a>"))
            // A run is kept while one that retries it is active.
            _ = try await server.board.cancel(again, actor: "x")
            await server.board.outcome(of: again)
            #expect(try await server.ask("DELETE", path, headers: ["X-Test: ada"]).status == 204)
            let after = try await server.ask("GET", "/runs/\(again)", headers: headers).text
            #expect(after.contains("\(first.suffix(6)) (deleted)</a>"))
            server.gate.finish()
        }
    }

    @Test func `a view is saved in the browser, leads to its filter, and is forgotten`() async throws {
        try await TestServer.run { server in
            func save(_ body: String, _ cookie: String = "") async throws -> RawResponse {
                try await server.ask(
                    "POST", "/runs/views", headers: [Self.html, Self.form, "Cookie: weir-views=\(cookie)"], body: body)
            }
            func value(_ answer: RawResponse) -> String {
                String((answer["set-cookie"] ?? "").dropFirst("weir-views=".count).prefix { $0 != ";" })
            }
            let saved = try await save("name=My+%3Cb%3E&query=phase%3Dfailed%26text%3Da%2520b%26before%3D3")
            #expect(saved.status == 303 && saved["location"] == "/runs?phase=failed&text=a%20b")
            #expect(saved["set-cookie"]?.contains("HttpOnly") == true)
            let cookie = value(saved)
            for path in ["/runs", "/runs?phase=failed&text=a%20b"] {
                let page = try await server.ask("GET", path, headers: [Self.html, "Cookie: weir-views=\(cookie)"]).text
                #expect(page.contains("href=\"/runs?phase=failed&amp;text=a%20b\"") && page.contains("My &lt;b&gt;"))
            }
            #expect(!(try await server.ask("GET", "/runs", headers: [Self.html]).text.contains("My &lt;b&gt;")))
            #expect(try await save("name=x&query=phase%3Dfailed%26phase%3Dactive").status == 400)
            let gone = try await save("remove=My+%3Cb%3E", cookie)
            #expect(value(gone).isEmpty && gone["location"] == "/runs")
            let longest = String(repeating: "a", count: 60)
            let kept = value(try await save("name=\(longest)&query=phase%3Dfailed"))
            let list = try await server.ask("GET", "/runs", headers: [Self.html, "Cookie: weir-views=\(kept)"]).text
            #expect(list.contains(">\(longest)<"))
            for bad in ["", "name=+&query=a", "name=\(String(repeating: "a", count: 61))&query=phase%3Dfailed"] {
                #expect(try await save(bad).status == 400, "\(bad)")
            }
            var full = ""
            for number in 0..<12 { full += (full.isEmpty ? "" : "&") + "v\(number)=phase%3Dfailed" }
            #expect(try await save("name=more&query=phase%3Dfailed", full).status == 400)
            for odd in ["%", "a=%25", "=x", "a", String(repeating: "a=b&", count: 500)] {
                let page = try await server.ask("GET", "/runs", headers: [Self.html, "Cookie: weir-views=\(odd)"])
                #expect(page.status == 200)
            }
        }
    }

    @Test func `a list that is taken away has every run once, also those beyond what is in memory at a time`()
        async throws
    {
        try await TestServer.run(reporting: true) { server in
            for number in 0...200 {
                let path = "/api/v1/streams/reported/deploy/r\(number)"
                let answer = try await server.ask("PUT", path, headers: ["Stream-Closed: true"], body: "")
                #expect(answer.status == 201)
            }
            let document = try await server.ask("GET", "/runs/export?format=json").json()
            let ids = try #require(document["runs"]?.array).compactMap { $0["id"]?.string }
            #expect(ids.count == 201 && Set(ids).count == 201)
        }
    }
}

/// A journal whose deletions fail after the first.
private final class FailingDeletions: JournalProxy {
    let inner: any Journal = MemoryJournal(epoch: "testepoch0001")
    private let deletions = Locked(0)

    func delete(_ runs: [String], by actor: String, at now: Timestamp) async throws -> [RunDeletionOutcome] {
        let isFirst = deletions.withLock { count in
            count += 1
            return count == 1
        }
        guard isFirst else { throw JournalError(.unavailable, "The disk is on fire.") }
        return try await inner.delete(runs, by: actor, at: now)
    }
}
