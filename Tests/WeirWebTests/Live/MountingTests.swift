import Foundation
import Hummingbird
import Logging
import TestSupport
import Testing
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct MountingTests {
    @Test func `a dashboard is mounted in an application by one line, beside its own routes`() async throws {
        var catalog = Catalog()
        catalog.add(Steps(gate: Gate()), id: "steps", title: "Steps", summary: "Goes step by step.")
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal())
        let router = Router()
        router.get("/") { _, _ in "mine" }
        router.get("/ops2") { _, _ in "mine too" }
        try router.mountWeir(board, at: "/ops", access: .open)
        try await TestServer.serve(router) { port, _ in
            func get(_ path: String) async throws -> RawResponse { try await ask("GET", path, port) }
            #expect(try await get("/").text == "mine")
            #expect(try await get("/ops2").text == "mine too")
            for path in ["/ops", "/ops/", "/ops/operations/steps", "/ops/api/v1/operations", "/ops/assets/weir.js"] {
                #expect(try await get(path).status == 200, "\(path)")
            }
            let page = try await get("/ops").text
            #expect(page.contains("data-next=\"/ops/live/1/board/"))
            #expect(page.contains(/src="\/ops\/assets\/@[0-9a-f]{16}\/weir.js"/))
            #expect(!page.contains("href=\"/operations"))
            #expect(try await get("/ops/nowhere").status == 404)
            let refused = try await ask("DELETE", "/ops/runs", port)
            #expect(refused.status == 405)
            #expect(refused["allow"] == "GET, HEAD")
            let poll = try await get("/ops/live/1/board/\(board.epoch)/0/0").text
            #expect(poll.contains("\"next\":\"/ops/live/1/board/"))
        }
        await board.shutdown()
    }

    @Test func `what is wrong with templates is logged by file and line when a dashboard is mounted`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let file = folder.appending(path: "operations/steps/stepping.mustache")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("<p>\n{{nothing}}</p>".utf8).write(to: file)
        var catalog = Catalog()
        catalog.add(Steps(gate: Gate()), id: "steps", title: "Steps", summary: "Goes step by step.")
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal())
        let log = CapturedLog(level: .warning)
        let router = Router()
        try router.mountWeir(board, at: "/ops", templates: folder, access: .open, logger: log.logger)
        try await until { log.messages().count > 1 }
        // Without its routes, a dashboard abandons its check.
        withExtendedLifetime(router) {}
        #expect(log.messages().first?.hasPrefix("The templates have ") == true, "\(log.messages())")
        #expect(
            log.messages().contains("operations/steps/stepping.mustache:2: there is no variable nothing here"),
            "\(log.messages())")
        let quiet = CapturedLog(level: .warning)
        var configuration = WebConfiguration()
        configuration.mountPath = "/ops"
        let dashboard = try Dashboard(board: board, configuration: configuration, logger: quiet.logger)
        Router().mountWeir(dashboard, access: .open)
        try await until { dashboard.services.checks.last != nil }
        #expect(quiet.messages() == [])
        await board.shutdown()
    }

    @Test func `polls that routes hold are let go when the application shuts down`() async throws {
        let board = try await Board.open(catalog: Catalog(), journal: MemoryJournal())
        var configuration = WebConfiguration()
        configuration.mountPath = "/ops"
        // It is the moment in which the feed's slot begins: a poll would not be held to the end of one that is over.
        let wall = 100_000 * PollSlots.length - PollSlots(feed: "board").phase
        let dashboard = try Dashboard(
            board: board, configuration: configuration, now: { Timestamp(milliseconds: wall) })
        let router = Router()
        router.mountWeir(dashboard, access: .open)
        try await TestServer.serve(router) { port, shutDown in
            let viewer = try await RawConnection.open(port: port)
            let page = try #require(dashboard.renderer.page(feedName: "board"))
            try await viewer.send("GET", dashboard.pollResponder.answers.cursor(page, sequence: 0, after: "").next)
            try await until { dashboard.held > 0 }
            await shutDown()
            #expect(try await viewer.response().json()["k"] == "drain")
        }
        await board.shutdown()
    }

    private func ask(_ method: String, _ path: String, _ port: Int) async throws -> RawResponse {
        let connection = try await RawConnection.open(port: port)
        try await connection.send(method, path)
        let response = try await connection.response()
        await connection.close()
        return response
    }
}
