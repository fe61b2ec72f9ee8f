import Testing
import TestSupport
@testable import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

@testable import WeirWeb

/// Operations come, change and go while pages are open.
@Suite(.timeLimit(.minutes(15)))
struct CatalogTests {
    /// What the server has, and operations that a file declares.
    private func catalog(
        _ server: TestServer, declaring ids: [String], edition: String, tags: Set<String> = [],
        mistakes: [String] = []
    ) -> Catalog {
        var catalog = Catalog()
        for entry in server.board.catalog.entries where entry.declaration == nil { catalog.add(entry) }
        for entry in server.board.catalog.stores { catalog.add(entry) }
        for id in ids {
            catalog.add(Steps(gate: server.gate), id: id, title: id.uppercased(), summary: "Is new.", tags: tags)
            catalog.declare(id, by: OperationDeclaration(text: id, digest: edition, mistakes: mistakes))
        }
        catalog.edition = edition
        return catalog
    }

    private func show(_ catalog: Catalog, on server: TestServer) async throws {
        try await server.dashboard.replace(catalog, templates: TemplateSet())
    }

    @Test func `open pages of the overview are led to the new card, and lose one that is gone`() async throws {
        try await TestServer.run { server in
            let viewer = try await server.connect()
            var url = try server.tail()
            for (ids, edition) in [(["backup"], "aa"), ([], "bb")] {
                try await viewer.send("GET", url)
                try await server.untilHeld(1)
                try await show(catalog(server, declaring: ids, edition: edition), on: server)
                let next = try #require(try await viewer.response().json()["next"]?.string)
                try await viewer.send("GET", next)
                let reset = try await viewer.response().json()
                #expect(reset["k"] == "reset" && reset["why"] == "catalog")
                try await viewer.send("GET", try #require(reset["snap"]?.string))
                let snapshot = try await viewer.response().json()
                #expect(snapshot["html"]?.string?.contains(#"id="op-backup""#) == !ids.isEmpty)
                url = try #require(snapshot["next"]?.string)
            }
            try await viewer.send("GET", url)
            try await server.untilHeld(1)
        }
    }

    @Test func `a page names the same scripts and styles as before`() async throws {
        try await TestServer.run { server in
            let assets = { (page: String) in
                page.matches(of: /(?:src|href)="([^"]*\/assets\/[^"]*)"/).map { String($0.1) }
            }
            let viewer = try await server.connect()
            try await viewer.send("GET", "/")
            let before = assets(try await viewer.response().text)
            try await show(catalog(server, declaring: ["backup"], edition: "aa"), on: server)
            try await viewer.send("GET", "/")
            #expect(!before.isEmpty)
            #expect(assets(try await viewer.response().text) == before)
        }
    }

    @Test func `the page of a run goes on as if nothing had happened`() async throws {
        try await TestServer.run { server in
            let run = try await server.start("a", last: 0)
            let viewer = try await server.connect()
            try await viewer.send("GET", try server.tail("run-\(run.run)"))
            try await server.untilHeld(1)
            try await show(catalog(server, declaring: ["backup"], edition: "aa"), on: server)
            let answer = try await viewer.response().json()
            #expect(answer["k"] == "empty")
            try await viewer.send("GET", try #require(answer["next"]?.string))
            try await server.untilHeld(1)
            _ = try await server.board.cancel(run.run, actor: "a")
            #expect(try await viewer.response().json()["k"] == "batch")
        }
    }

    @Test func `events and waiting requests continue when the catalog is replaced, and end with their right`()
        async throws
    {
        let known = KnownNames()
        let clock = ManualClock()
        try await TestServer.run(clock: clock, bell: true, access: known.access) { server in
            let run = try await server.start().run
            let paths = [
                "/api/v1/streams/run-\(run)?live=sse&offset=now", "/api/v1/streams/board?live=sse&offset=now",
                "/api/v1/feeds/run-\(run)/changes?after=now&wait=60", "/api/v1/runs/\(run)/output?wait=60",
            ]
            var waiting: [String: [RawConnection]] = [:]
            for name in ["victor", "walt"] {
                for path in paths {
                    let connection = try await server.connect()
                    try await connection.send("GET", path, headers: ["X-Test: \(name)"])
                    waiting[name, default: []].append(connection)
                }
            }
            try await server.untilHeld(2 * paths.count)
            // Neither sees more or less: Victor may not see the new operation, Walt may see everything.
            for (edition, ids) in [("aa", ["backup"]), ("bb", ["backup", "cleanup"]), ("cc", [])] {
                try await show(catalog(server, declaring: ids, edition: edition), on: server)
                clock.advance(by: RightsWatch.interval)
                try await server.untilHeld(2 * paths.count)
            }
            known.signOut("walt")
            clock.advance(by: RightsWatch.interval)
            for (path, connection) in zip(paths, waiting["walt"] ?? []) {
                #expect(try await connection.response().status == (path.contains("live=sse") ? 200 : 401), "\(path)")
            }
            try await server.untilHeld(paths.count)
            _ = try await server.board.cancel(run, actor: "a")
            let events = try #require(waiting["victor"]?[0])
            let isOver = Shared(false)
            let answer = Task {
                defer { isOver.value = true }
                return try await events.response()
            }
            try await until {
                isOver.value
            } otherwise: {
                clock.advance(by: 100)
            }
            #expect(try await answer.value.text.contains(#""streamClosed":true"#))
            // The replaced dashboards are released with the last request that uses them.
            var seconds = 0
            try await until {
                server.dashboard.audiences.responders.count <= 2 || seconds == 10_000
            } otherwise: {
                clock.advance(by: 1_000)
                seconds += 1
            }
            #expect(server.dashboard.audiences.responders.count <= 2)
        }
    }

    @Test func `a page that was open through a change of the catalog never shows the earlier one again`() async throws {
        try await TestServer.run { server in
            let old = try server.tail()
            let now = server.dashboard.pollResponder.answers.urls.now("board", 0)
            try await show(catalog(server, declaring: ["backup"], edition: "aa"), on: server)
            for url in [old, now] { #expect(try await server.ask("GET", url).json()["why"] == "catalog") }
            #expect(try server.tail().contains(".aa/"))
        }
    }

    @Test func `a new operation is shown to those alone who may see it`() async throws {
        let known = KnownNames(
            AccessRules(grants: [
                RoleGrant(
                    RoleAssignment("viewer", on: SubjectSelection(operations: ["steps"].compactMap { IDPattern($0) })),
                    to: [.user("vera"), .user("victor")]),
                RoleGrant(
                    RoleAssignment("viewer", on: SubjectSelection(tags: ["database"])), to: [.user("vera")]),
                RoleGrant(RoleAssignment("viewer", on: SubjectSelection(tags: ["network"])), to: [.user("victor")]),
            ]))
        try await TestServer.run(access: known.access) { server in
            let page = { @Sendable (name: String) in
                try await server.ask(
                    "GET", "/operations/backup", headers: ["X-Test: \(name)", "Accept: text/html"]
                ).status
            }
            #expect(try await page("vera") == 404)
            let new = catalog(server, declaring: ["backup"], edition: "aa", tags: ["database"])
            try await show(new, on: server)
            #expect(try await page("vera") == 200)
            #expect(try await page("victor") == 404)
            try await show(catalog(server, declaring: ["backup"], edition: "bb", tags: ["network"]), on: server)
            #expect(try await page("vera") == 404)
            #expect(try await page("victor") == 200)
        }
    }

    @Test func `the page of an operation says what is wrong with its newest file`() async throws {
        try await TestServer.run { server in
            let mistake = "backup.yml:2:1: An operation has no `comand`. Did you mean `command`?"
            try await show(catalog(server, declaring: ["backup"], edition: "aa", mistakes: [mistake]), on: server)
            let page = try await server.ask("GET", "/operations/backup", headers: ["Accept: text/html"]).text
            #expect(page.contains("backup.yml:2:1: An operation has no `comand`."))
            #expect(page.contains("Until it is fixed, runs use the previous version."))
            let other = try await server.ask("GET", "/operations/steps", headers: ["Accept: text/html"]).text
            #expect(!other.contains("Until it is fixed"))
        }
    }
}
