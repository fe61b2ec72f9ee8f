import Foundation
import Testing
import TestSupport
@testable import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct BundleTests {
    private static let html = "Accept: text/html"
    static let jsonl = "Content-Type: application/jsonl"

    /// Runs a test against two servers: one on which runs happen, and one to which they are brought.
    private func twoServers(
        _ configuration: WebConfiguration = .init(),
        _ test: @escaping @Sendable (_ there: TestServer, _ here: TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(journal: MemoryJournal(epoch: "therethere001")) { there in
            try await TestServer.run(journal: MemoryJournal(epoch: "herehereher01"), configuration: configuration) {
                here in
                try await test(there, here)
            }
        }
    }

    private func ended(on server: TestServer, _ label: String, last: Int = 3) async throws -> String {
        let id = try await server.start(label, last: last).run
        server.gate.finish()
        await server.board.outcome(of: id)
        return id
    }

    private func section(_ page: String) -> Substring? {
        guard let start = page.range(of: "<section class=\"card run"), let end = page.range(of: "</section>") else {
            return nil
        }
        let first = min(start.lowerBound, page.endIndex)
        return page[first...].range(of: "</section>").map { page[first..<$0.upperBound] }
            ?? page[first..<end.upperBound]
    }

    // K10
    @Test func `a run that was exported there and imported here has the same page, at its end and at every change`()
        async throws
    {
        try await twoServers { there, here in
            let id = try await ended(on: there, "<a> & \u{202E}b")
            let file = try await there.ask("GET", "/runs/\(id)/export")
            #expect(file.status == 200)
            #expect(file["content-type"] == "application/jsonl")
            #expect(file["content-disposition"] == "attachment; filename=\"weir-run-\(id).jsonl\"")
            // Here something has happened before, so that sequences differ.
            _ = try await here.start("b", last: 0)
            let answer = try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: file.text)
            #expect(answer.status == 201)
            #expect(try answer.json()["imported"] == [.string(id)])
            for language in ["en", "pt-BR"] {
                let headers = [Self.html, "Accept-Language: \(language)"]
                let page = try await there.ask("GET", "/runs/\(id)", headers: headers).text
                let copy = try await here.ask("GET", "/runs/\(id)", headers: headers).text
                #expect(section(page) != nil)
                #expect(section(page) == section(copy))
            }
            let theirs = try await there.board.changes(of: .run(id), after: nil, limit: 500).changes
            let ours = try await here.board.changes(of: .run(id), after: nil, limit: 500).changes
            #expect(theirs.count == ours.count && theirs.count > 4)
            for (their, our) in zip(theirs, ours) {
                #expect(their.sequence != our.sequence)
                let page = try await region(there, id, their.sequence)
                let copy = try await region(here, id, our.sequence)
                #expect(section(page) != nil && section(page) == section(copy), "revision \(our.revision)")
            }
            // A copy of the copy is the same file but for its header.
            let again = try await here.ask("GET", "/api/v1/runs/\(id)/export").text
            #expect(try ExportContents(again).runs.map(\.record.id) == [id])
            here.gate.finish()
        }
    }

    private func region(_ server: TestServer, _ id: String, _ sequence: SequenceNumber) async throws -> String {
        let run = try await server.board.view(of: id, at: sequence)
        let page = try #require(LivePage(feedName: "run-\(id)"))
        let cursor = server.dashboard.pollResponder.answers.cursor(page, sequence: sequence, after: nil)
        return server.dashboard.renderer.region(.run(run), cursor: cursor, frame: PageFrame())
    }

    @Test func `imported runs are on every page at once, and live pages are told`() async throws {
        try await twoServers { there, here in
            let id = try await ended(on: there, "brought")
            let file = try await there.ask("GET", "/runs/export").text
            let tail = try here.tail("runs", at: 0)
            async let held = here.ask("GET", tail)
            try await here.untilHeld(1)
            let sent = try await here.ask(
                "POST", "/imports", headers: [Self.html] + form(file).headers, body: form(file).body)
            #expect(sent.status == 303)
            #expect(sent["location"] == "/runs/\(id)")
            #expect(try await held.text.contains(id))
            for path in ["/", "/runs", "/operations/steps", "/runs?operation=steps", "/api/v1/runs"] {
                #expect(try await here.ask("GET", path, headers: [Self.html]).text.contains(id), "\(path)")
            }
            // By script the form gets told where to go; the same file again brings nothing new and harms nothing.
            let again = try await here.ask(
                "POST", "/imports", headers: ["Accept: application/json"] + form(file).headers, body: form(file).body)
            #expect(again.status == 200)
            #expect(try again.json()["location"] == .string("/runs/\(id)"))
            let skipped = try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: file)
            #expect(skipped.status == 200)
            #expect(try skipped.json()["skipped"] == [.string(id)])
        }
    }

    @Test func `a run that was still going there is interrupted here, and the one there goes on`() async throws {
        try await twoServers { there, here in
            let id = try await there.start("going", last: 1).run
            let file = try await there.ask("GET", "/runs/\(id)/export").text
            let answer = try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: file)
            #expect(try answer.json()["interrupted"] == [.string(id)])
            #expect(try await here.ask("GET", "/api/v1/runs/\(id)").json()["phase"] == "interrupted")
            #expect(
                try await here.ask("GET", "/runs/\(id)", headers: [Self.html]).text
                    .contains("It was still running when it was exported"))
            #expect(try await there.board.run(id).endedAt == nil)
            there.gate.finish()
        }
    }

    @Test func `a list is exported by its filters, whatever the length of its pages`() async throws {
        try await TestServer.run { server in
            let first = try await ended(on: server, "apple")
            let second = try await server.board.start("steps", input: ["label": "pear"], actor: "Ada").run
            server.gate.finish()
            await server.board.outcome(of: second)
            func ids(_ path: String) async throws -> [String] {
                try ExportContents(try await server.ask("GET", path).text).runs.map(\.record.id)
            }
            #expect(try await ids("/runs/export") == [first, second])
            #expect(try await ids("/runs/export?text=apple") == [first])
            #expect(try await ids("/runs/export?actor=Ada&phase=succeeded&before=1") == [second])
            #expect(try await ids("/api/v1/runs/export?actor=Ada") == [second])
            #expect(try await ids("/runs/export?operation=keep").isEmpty)
            for bad in ["/runs/export?from=x", "/runs/export?phase=x", "/api/v1/runs/export?phase=x"] {
                #expect(try await server.ask("GET", bad).status == 400, "\(bad)")
            }
            let page = try await server.ask("GET", "/runs?text=apple", headers: [Self.html]).text
            #expect(page.contains("href=\"/runs/export?text=apple\""))
            let head = try await server.ask("HEAD", "/runs/export")
            #expect(head.status == 200)
            #expect(try await server.ask("GET", "/runs/nobody/export").status == 404)
        }
    }

    @Test func `what is no export is refused in words that name the line, and nothing of it comes in`() async throws {
        try await twoServers { there, here in
            let id = try await ended(on: there, "a")
            let file = try await there.ask("GET", "/runs/\(id)/export").text
            let lines = file.split(separator: "\n")
            let cut = lines.dropLast().joined(separator: "\n")
            let answer = try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: cut)
            #expect(answer.status == 422)
            #expect(answer["content-type"] == "application/problem+json")
            #expect(try answer.json()["detail"]?.string?.hasPrefix("Line \(lines.count - 1): ") == true)
            for body in ["", "{}", "no json", "\u{0}"] {
                #expect(try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: body).status == 422)
            }
            #expect(here.board.feed.head(of: .board) == 0)
            _ = try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: file)
            let other = file.replacing("\"actor\":\"test\"", with: "\"actor\":\"other\"")
            let conflict = try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: other)
            #expect(conflict.status == 409)
            #expect(try conflict.json()["detail"]?.string?.hasPrefix("Line 2: Run \(id) is already here") == true)
            let page = try await here.ask(
                "POST", "/imports", headers: [Self.html] + form(other).headers, body: form(other).body)
            #expect(page.status == 409 && page.text.contains("Line 2"))
            // Neither a form without a file, nor another site's form, nor another type.
            let empty = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n1\r\n--b--\r\n"
            #expect(try await here.ask("POST", "/imports", headers: form("").headers, body: empty).status == 400)
            let site = ["Sec-Fetch-Site: cross-site"]
            #expect(try await here.ask("POST", "/imports", headers: site + [Self.jsonl], body: file).status == 403)
            let typed = try await here.ask(
                "POST", "/api/v1/imports", headers: ["Content-Type: application/x-www-form-urlencoded"], body: file)
            #expect(typed.status == 415)
            #expect(try await here.ask("GET", "/imports").status == 405)
        }
    }

    @Test func `a file beyond the limit of imports is refused, and told how much is allowed`() async throws {
        var configuration = WebConfiguration()
        configuration.maximumImportBytes = 1_000
        try await twoServers(configuration) { _, here in
            let body = String(repeating: "x", count: 1_001)
            let answer = try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: body)
            #expect(answer.status == 413)
            #expect(try answer.json()["detail"]?.string?.hasPrefix("The file can have at most 1 kB.") == true)
            // One that does not say how long it is is refused once it is too long.
            let form = form(body)
            let sent = try await here.ask("POST", "/api/v1/imports", headers: form.headers, body: form.body)
            #expect(sent.status == 413)
        }
    }

    @Test
    func `so many exports are written at a time, further ones are asked to come back, and each gives its place back`()
        async throws
    {
        var configuration = WebConfiguration()
        configuration.maximumExports = 2
        try await TestServer.run(configuration: configuration) { server in
            let id = try await ended(on: server, "a")
            let first = try #require(server.dashboard.services.exports.take())
            for path in ["/runs/export", "/runs/\(id)/export", "/api/v1/runs/export", "/api/v1/runs/\(id)/export"] {
                #expect(try await server.ask("GET", path).status == 200)
                #expect(try await server.ask("HEAD", path).status == 200)
                try await until { server.dashboard.services.exports.taken == 1 }
            }
            #expect(try await server.ask("GET", "/runs/nobody/export").status == 404)
            #expect(server.dashboard.services.exports.taken == 1)
            let second = try #require(server.dashboard.services.exports.take())
            let refused = try await server.ask("GET", "/runs/export")
            #expect(refused.status == 503 && refused["retry-after"] == "10")
            #expect(
                try refused.json()["detail"]?.string
                    == "2 exports are already being written, which is the limit. Try again later.")
            second.release()
            second.release()
            #expect(try await server.ask("GET", "/runs/export").status == 200)
            first.release()
            try await until { server.dashboard.services.exports.taken == 0 }
        }
    }

    @Test func `a file is refused before it is sent while as many as may be are received`() async throws {
        try await TestServer.run { server in
            let slots = (0..<RunImports.maximumReceived).compactMap { _ in server.dashboard.services.imports.take() }
            #expect(slots.count == RunImports.maximumReceived)
            let connection = try await server.connect()
            try await connection.send("POST", "/api/v1/imports", headers: [Self.jsonl, "Content-Length: 1000000"])
            let refused = try await connection.response()
            #expect(refused.status == 503 && refused["retry-after"] != nil && refused["connection"] == "close")
            let problem = try refused.json()
            #expect(problem["type"] == "urn:weir:problem:importing")
            #expect(problem["detail"]?.string?.hasPrefix("As many files to import are arriving") == true)
            await connection.close()
            slots.forEach { $0.release() }
            #expect(try await server.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: "x").status == 422)
        }
    }

    @Test func `a line beyond the limit of imports is refused, and so is a file whose sender is gone before its end`()
        async throws
    {
        var configuration = WebConfiguration()
        configuration.maximumImportLine = try #require(ByteCount("1 kB"))
        try await twoServers(configuration) { there, here in
            let id = try await ended(on: there, "a")
            let file = try await there.ask("GET", "/runs/\(id)/export").text
            let long = file + String(repeating: "x", count: 1_001) + "\n"
            let refused = try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: long)
            #expect(refused.status == 422)
            #expect(try refused.json()["detail"]?.string?.contains("longer than the limit of 1 kB") == true)
            let connection = try await here.connect()
            try await connection.send(
                "POST", "/api/v1/imports", headers: [Self.jsonl, "Content-Length: \(file.utf8.count + 1_000)"])
            try await connection.send(raw: file)
            try await until { here.dashboard.services.imports.taken == 1 }
            await connection.close()
            try await until { here.dashboard.services.imports.taken == 0 }
            #expect(try await here.board.runs(RunQuery()).runs.isEmpty)
            #expect(try await here.ask("POST", "/api/v1/imports", headers: [Self.jsonl], body: file).status == 201)
        }
    }

    private func form(_ file: String) -> (headers: [String], body: String) {
        let head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"runs.jsonl\"\r\n\r\n"
        return (["Content-Type: multipart/form-data; boundary=b"], head + file + "\r\n--b--\r\n")
    }
}

extension ExportContents {
    /// Looks into the text of a file.
    fileprivate init(_ text: String) throws {
        var lines = text.split(separator: "\n")[...]
        try self.init { lines.popFirst().map(String.init) }
    }
}
