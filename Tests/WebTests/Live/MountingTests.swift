import Boards
import Hummingbird
import HummingbirdTesting
import Journals
import Pages
import States
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(2)))
struct MountingTests {
    @Test func `a dashboard is mounted in an application by one line, beside its own routes`() async throws {
        var catalog = Catalog()
        catalog.add(Steps(gate: Gate()), id: "steps", title: "Steps", summary: "Goes step by step.")
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal())
        let router = Router()
        router.get("/") { _, _ in "mine" }
        router.get("/ops2") { _, _ in "mine too" }
        try router.mountWeir(board, at: "/ops")
        let application = Application(router: router)
        try await application.test(.live) { client in
            try await client.execute(uri: "/", method: .get) { #expect(String(buffer: $0.body) == "mine") }
            try await client.execute(uri: "/ops2", method: .get) { #expect(String(buffer: $0.body) == "mine too") }
            for path in ["/ops", "/ops/", "/ops/operations/steps", "/ops/api/v1/operations", "/ops/assets/weir.js"] {
                try await client.execute(uri: path, method: .get) { #expect($0.status == .ok, "\(path)") }
            }
            try await client.execute(uri: "/ops", method: .get) { answer in
                let page = String(buffer: answer.body)
                #expect(page.contains("data-next=\"/ops/live/1/board/"))
                #expect(page.contains("src=\"/ops/assets/weir.js\""))
                #expect(!page.contains("href=\"/operations"))
            }
            try await client.execute(uri: "/ops/nowhere", method: .get) { #expect($0.status == .notFound) }
            try await client.execute(uri: "/ops/runs", method: .delete) { answer in
                #expect(answer.status == .methodNotAllowed)
                #expect(answer.headers[.allow] == "GET, HEAD")
            }
            try await client.execute(uri: "/ops/live/1/board/\(board.epoch)/0/0", method: .get) { answer in
                #expect(String(buffer: answer.body).contains("\"next\":\"/ops/live/1/board/"))
            }
        }
        await board.shutdown()
    }

    @Test func `polls that routes hold are let go when the application shuts down`() async throws {
        let board = try await Board.open(catalog: Catalog(), journal: MemoryJournal())
        var configuration = WebConfiguration()
        configuration.mountPath = "/ops"
        let dashboard = try Dashboard(board: board, configuration: configuration)
        let router = Router()
        router.mountWeir(dashboard)
        let viewer = Shared<RawConnection?>(nil)
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)))
            .test(.live) { client in
                let connection = try await RawConnection.open(port: #require(client.port))
                let page = try #require(dashboard.renderer.page(feedName: "board"))
                try await connection.send("GET", dashboard.desk.answers.cursor(page, sequence: 0, after: "").next)
                while dashboard.held == 0 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                viewer.value = connection
            }
        let answer = try await #require(viewer.value).response()
        #expect(try answer.json()["k"] == "drain")
        await board.shutdown()
    }
}
