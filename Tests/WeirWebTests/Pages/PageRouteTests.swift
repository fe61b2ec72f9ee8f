import Testing
import WeirBoards
import WeirJournals
import WeirOperations
import WeirPages
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct PageRouteTests {
    private static let html = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    @Test func `a form with a field that is given twice starts nothing`()
        async throws
    {
        try await TestServer.run { server in
            for path in ["/api/v1/operations/steps/runs", "/operations/steps/runs"] {
                for body in ["label=a&label=b", "label=a&label=a"] {
                    let answer = try await server.ask("POST", path, headers: [Self.form], body: body)
                    #expect(answer.status == 400 && answer.text.contains("“label” can be given only once"))
                }
            }
            #expect(try await server.board.runs(.init()).runs.isEmpty)
        }
    }

    @Test func `a form starts a run and leads to it`() async throws {
        try await TestServer.run { server in
            let answer = try await server.ask(
                "POST", "/operations/steps/runs", headers: [Self.html, Self.form, "Sec-Fetch-Site: same-origin"],
                body: "label=World")
            #expect(answer.status == 303)
            let run = server.board.view().recentRuns[0].record
            #expect(answer["location"] == "/runs/" + run.id)
            #expect(run.opening.actor == "operator")
            #expect(try await server.ask("GET", "/runs/" + run.id, headers: [Self.html]).text.contains("World"))
        }
    }

    /// An operation with a choice whose values are still being read.
    private struct Restore: SimpleOperation {
        struct Input: OperationInput {
            let table: String

            static var fields: [InputField] {
                var table = InputField("table", "Table", .choice([]), required: true)
                table.isPending = true
                return [table]
            }
        }

        func run(_ input: Input, report: RunReporter) async throws -> NoResult { NoResult() }
    }

    @Test func `a form sent before the values of a choice are known comes back and says so`() async throws {
        try await TestServer.run { server in
            var catalog = server.board.catalog
            catalog.add(Restore(), id: "restore", title: "Restore", summary: "Restores a table.")
            try await server.dashboard.replace(catalog, templates: TemplateSet())
            let answer = try await server.ask(
                "POST", "/operations/restore/runs", headers: [Self.html, Self.form], body: "table=x")
            #expect(answer.text.contains("The values are still being read."))
            #expect(answer.text.contains(#"action="/operations/restore/runs""#))
        }
    }

    @Test func `a form sent by script gets the cursor and the address`() async throws {
        try await TestServer.run { server in
            let answer = try await server.ask(
                "POST", "/operations/steps/runs", headers: ["Accept: application/json", Self.form], body: "label=World")
            #expect(answer.status == 200)
            let json = try answer.json()
            let run = server.board.view().recentRuns[0].record
            #expect(json == ["cursor": .string("\(server.board.epoch).1"), "location": .string("/runs/" + run.id)])
        }
    }

    @Test func `mistakes come back beside their field, with what was typed`() async throws {
        try await TestServer.run { server in
            let page = try await server.ask(
                "POST", "/operations/steps/runs", headers: [Self.html, Self.form],
                body: "label=%3Cscript%3Ealert(1)%3C%2Fscript%3E&last=5000")
            #expect(page.status == 422)
            #expect(page["content-type"] == "text/html; charset=utf-8")
            #expect(page.text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(!page.text.contains("<script>alert"))
            #expect(page.text.contains("start-steps-last-error"))
            let document = try await server.ask(
                "POST", "/operations/steps/runs", headers: ["Accept: application/json", Self.form], body: "last=1")
            #expect(document.status == 422)
            #expect(document["content-type"] == "application/problem+json")
            #expect(try document.json()["errors"]?.array?.first?["field"] == "label")
        }
    }

    @Test func `cancelling and trying again by form leads back to the run`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start()
            let cancelled = try await server.ask("POST", "/runs/\(receipt.run)/cancellation", headers: [Self.html])
            #expect(cancelled.status == 303)
            #expect(cancelled["location"] == "/runs/" + receipt.run)
            let twice = try await server.ask("POST", "/runs/\(receipt.run)/cancellation", headers: [Self.html])
            #expect(twice.status == 409)
            #expect(twice["content-type"] == "text/html; charset=utf-8")
            let retried = try await server.ask("POST", "/runs/\(receipt.run)/retries", headers: [Self.html])
            #expect(retried.status == 303)
            #expect(retried["location"] != "/runs/" + receipt.run)
        }
    }

    @Test func `a page of another site changes nothing, a program may`() async throws {
        try await TestServer.run { server in
            for header in [
                "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: http://evil.example",
                "Origin: null",
            ] {
                for path in ["/operations/steps/runs", "/api/v1/operations/steps/runs"] {
                    let answer = try await server.ask("POST", path, headers: [header, Self.form], body: "label=a")
                    #expect(answer.status == 403, "\(header) \(path)")
                    #expect(try answer.json()["type"] == "urn:weir:problem:cross-site")
                }
            }
            #expect(server.board.view().recentRuns.isEmpty)
        }
    }

    @Test func `a name that leads here from another site is refused everywhere, with what to do`() async throws {
        try await TestServer.run { server in
            for path in ["/", "/api/v1/operations", try server.tail(), "/assets/weir.js"] {
                let answer = try await server.ask("GET", path, headers: ["Host: evil.example"])
                #expect(answer.status == 421, "\(path)")
                #expect(try answer.json()["detail"]?.string?.contains("--allowed-hosts") == true)
            }
            #expect(server.dashboard.held == 0)
        }
    }

    @Test func `the language follows the browser, and the reader's choice more`() async throws {
        try await TestServer.run { server in
            let english = try await server.ask("GET", "/", headers: [Self.html])
            #expect(english.text.contains("<html lang=\"en\">"))
            let portuguese = try await server.ask("GET", "/", headers: [Self.html, "Accept-Language: pt-BR,pt;q=0.9"])
            #expect(portuguese.text.contains("<html lang=\"pt-BR\">"))
            #expect(portuguese.text.contains("/live/1/board--pt-br/"))
            let choice = try await server.ask("GET", "/runs?phase=failed&lang=pt-br", headers: [Self.html])
            #expect(choice.status == 303)
            #expect(choice["location"] == "/runs?phase=failed")
            let cookie = try #require(choice["set-cookie"])
            #expect(cookie.hasPrefix("weir-lang=pt-BR;"))
            #expect(cookie.contains("SameSite=Lax"))
            // No script needs to read it, so none may.
            #expect(cookie.contains("HttpOnly"))
            let chosen = try await server.ask("GET", "/", headers: [Self.html, "Cookie: weir-lang=pt-BR"])
            #expect(chosen.text.contains("<html lang=\"pt-BR\">"))
        }
    }

    @Test func `without JavaScript a page waits for the next change`() async throws {
        try await TestServer.run { server in
            let page = try await server.ask("GET", "/", headers: [Self.html])
            let url = try #require(page.text.firstMatch(of: /content="1; url=([^"]+)"/)).1
            let browser = try await server.connect()
            try await browser.send("GET", String(url), headers: [Self.html])
            try await server.untilHeld(1)
            _ = try await server.start("News")
            let next = try await browser.response()
            #expect(next.status == 200)
            #expect(next.text.contains("url=/after/"))
            #expect(try await server.ask("GET", "/after/x", headers: [Self.html]).status == 400)
        }
    }

    @Test func `without JavaScript a page stands still that somebody fills in, unless something runs`() async throws {
        try await TestServer.run { server in
            let refresh = "http-equiv=\"refresh\""
            let form = try await server.ask("GET", "/operations/steps", headers: [Self.html])
            #expect(!form.text.contains(refresh))
            #expect(form.text.contains("data-next=\"/live/1/operation-steps/"))
            #expect(try await server.ask("GET", "/", headers: [Self.html]).text.contains(refresh))
            _ = try await server.start()
            #expect(try await server.ask("GET", "/operations/steps", headers: [Self.html]).text.contains(refresh))
            let mistaken = try await server.ask(
                "POST", "/operations/steps/runs", headers: [Self.html, Self.form], body: "last=5000")
            #expect(!mistaken.text.contains(refresh))
        }
    }

    @Test func `starting again begins with what the run was started with`() async throws {
        try await TestServer.run { server in
            let receipt = try await server.start("As \"before\"")
            let path = "/operations/steps?from="
            #expect(
                try await server.ask("GET", path + receipt.run, headers: [Self.html]).text
                    .contains("value=\"As &quot;before&quot;\""))
            let other = try await server.ask("GET", "/operations/keep?from=" + receipt.run, headers: [Self.html])
            #expect(other.status == 200)
            #expect(!other.text.contains("before"))
            #expect(try await server.ask("GET", path + "nothing", headers: [Self.html]).status == 404)
        }
    }

    @Test func `files of Public come with their type and tag, and nothing else does`() async throws {
        try await TestServer.run { server in
            let script = try await server.ask("GET", "/assets/weir.js")
            #expect(script.status == 200)
            #expect(script["content-type"] == "text/javascript; charset=utf-8")
            let tag = try #require(script["etag"])
            let same = try await server.ask("GET", "/assets/weir.js", headers: ["If-None-Match: " + tag])
            #expect(same.status == 304)
            #expect(same["etag"] == tag)
            #expect(try await server.ask("GET", "/assets/icons/ok.svg")["content-type"] == "image/svg+xml")
            for path in [
                "/assets/../Package.swift", "/assets/%2e%2e/Package.swift", "/assets/..%2fPackage.swift",
                "/assets/weir.js%00",
                "/assets//weir.js", "/assets/icons", "/assets/.gitkeep", "/assets/%2fetc%2fpasswd",
                "/assets/icons/../weir.js",
            ] {
                #expect([400, 404].contains(try await server.ask("GET", path).status), "\(path)")
            }
        }
    }

    @Test func `a page that is not there is told as a page to a browser`() async throws {
        try await TestServer.run { server in
            let page = try await server.ask("GET", "/runs/nowhere", headers: [Self.html])
            #expect(page.status == 404)
            #expect(page["content-type"] == "text/html; charset=utf-8")
            let document = try await server.ask("GET", "/runs/nowhere")
            #expect(document.status == 404)
            #expect(document["content-type"] == "application/problem+json")
        }
    }
}
