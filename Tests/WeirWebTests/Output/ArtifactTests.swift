import Foundation
import TestSupport
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// The files that a run keeps, over connections.
@Suite(.timeLimit(.minutes(15)))
struct ArtifactTests {
    private static let json = "Content-Type: application/json"
    private static let html = "<script>fetch('/api/v1/runs')</script>"

    /// Runs a test against a server with a run that keeps files.
    private func run(
        _ files: [(name: String, content: String)], _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-kept-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = ArtifactStore(folder)
        try await TestServer.run(reporting: true, artifacts: store) { server in
            let address = "/api/v1/streams/reported/deploy/r1"
            _ = try await server.ask("PUT", address, body: "")
            let list = files.map { file -> JSONValue in
                ["name": .string(file.name), "bytes": .integer(Int64(file.content.utf8.count))]
            }
            let end: JSONValue = ["state": "done", "artifacts": .array(list)]
            let answer = try await server.ask("POST", address, headers: [Self.json], body: try end.text())
            #expect(answer.status == 204, "\(answer.text)")
            for (index, file) in files.enumerated() where !file.content.isEmpty {
                try store.create(index, named: file.name, run: "r1").write(contentsOf: Data(file.content.utf8))
            }
            try await test(server)
        }
    }

    @Test func `the API lists the files of a run, and sends each under its own name`() async throws {
        let long = String(repeating: "0123456789", count: 100_000)
        try await run([("dist/a b.txt", "hello"), ("é.bin", long)]) { server in
            let list = try await server.ask("GET", "/api/v1/runs/r1/artifacts").json()["artifacts"]
            #expect(list?.element(at: 0)?["name"] == "dist/a b.txt" && list?.element(at: 1)?["bytes"] == 1_000_000)
            let url = try #require(list?.element(at: 0)?["url"]?.string)
            #expect(url == "/api/v1/runs/r1/artifacts/dist/a%20b.txt")
            let file = try await server.ask("GET", url)
            #expect(file.status == 200 && file.text == "hello")
            #expect(file["content-disposition"] == "attachment; filename*=UTF-8''a%20b.txt")
            #expect(file["content-length"] == "5" && file["x-content-type-options"] == "nosniff")
            #expect(file["content-security-policy"]?.contains("sandbox") == true)
            #expect(try await server.ask("GET", "/runs/r1/artifacts/%C3%A9.bin").text == long)
            let head = try await server.ask("HEAD", "/runs/r1/artifacts/%C3%A9.bin")
            #expect(head.status == 200 && head["content-length"] == "1000000" && head.text.isEmpty)
        }
    }

    @Test func `the page of a run links its files, and a file's page shows text, tables and pictures`() async throws {
        try await run([
            ("a.md", "# <b>"), ("b.csv", "name,\"x,\"\"y\"\"\"\nAna,<1>\n"), ("c.png", "x"), ("d.bin", "\0"),
        ]) { server in
            func page(_ path: String) async throws -> String {
                try await server.ask("GET", path, headers: ["Accept: text/html"]).text
            }
            #expect(try await page("/runs/r1").contains(#"href="/runs/r1/artifacts/a.md?show=page""#))
            #expect(try await page("/runs/r1/artifacts/a.md?show=page").contains("# &lt;b&gt;</pre>"))
            let table = try await page("/runs/r1/artifacts/b.csv?show=page")
            #expect(table.contains(#"<th scope="col">x,&quot;y&quot;</th>"#) && table.contains("<td>&lt;1&gt;</td>"))
            #expect(
                try await page("/runs/r1/artifacts/c.png?show=page").contains(
                    #"src="/runs/r1/artifacts/c.png?show=inline""#))
            #expect(try await page("/runs/r1/artifacts/d.bin?show=page").contains("This file is not text."))
        }
    }

    @Test func `a browser shows HTML, SVG and PDF with policies of their own, and other files not at all`() async throws
    {
        try await run([("a.html", Self.html), ("b.svg", "<svg/>"), ("c.pdf", "%PDF"), ("d.js", "x")]) { server in
            for name in ["a.html", "b.svg", "c.pdf"] {
                let file = try await server.ask("GET", "/runs/r1/artifacts/\(name)?show=inline")
                let policy = try #require(file["content-security-policy"])
                #expect(
                    policy.hasPrefix("default-src 'none'; style-src 'unsafe-inline'") && !policy.contains("script-src"))
                #expect(policy.contains("sandbox") == (name != "c.pdf"))
                #expect(file["x-content-type-options"] == "nosniff")
                #expect(file["content-disposition"]?.hasPrefix("inline") == true)
            }
            let script = try await server.ask("GET", "/runs/r1/artifacts/d.js?show=inline")
            #expect(script["content-type"] == "application/octet-stream")
            #expect(script["content-disposition"]?.hasPrefix("attachment") == true)
        }
    }

    @Test func `a file that is not there is refused with what to do, and no path leads to another`() async throws {
        try await run([("a.txt", "a"), ("gone.txt", "")]) { server in
            let gone = try await server.ask("GET", "/api/v1/runs/r1/artifacts/gone.txt")
            #expect(gone.status == 404 && gone.text.contains("no longer on this server"))
            let unknown = try await server.ask("GET", "/api/v1/runs/r1/artifacts/b.txt")
            #expect(unknown.status == 404 && unknown.text.contains("keeps no file"))
            for path in ["..%2Fr1%2F0%2Fa.txt", "../r1/0/a.txt", "%2e%2e/a.txt", "0/a.txt", "/etc/hostname"] {
                let answer = try await server.ask("GET", "/api/v1/runs/r1/artifacts/\(path)")
                #expect([400, 404].contains(answer.status), "\(path)")
            }
            #expect(try await server.ask("GET", "/api/v1/runs/r2/artifacts").status == 404)
            #expect(try await server.ask("GET", "/runs/r1/artifacts/a.txt?show=x").status == 400)
        }
    }
}
