import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing
import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirWeb

/// Nothing of a dashboard is served past the access check, on whichever way a request comes in.
@Suite(.timeLimit(.minutes(15)))
struct DoorTests {
    /// Refuses whatever comes.
    private struct Wall: RouterMiddleware {
        typealias Context = BasicRequestContext
        func handle(
            _ request: Request, context: Context, next: (Request, Context) async throws -> Response
        ) async throws -> Response { Response(status: .unauthorized) }
    }

    /// An app with a dashboard under `/ops`, which has given its server the dashboard's channel handlers.
    private func app(
        walled: Bool, access: DashboardAccess<BasicRequestContext>,
        _ test: @escaping @Sendable (_ port: Int, _ board: Board) async throws -> Void
    ) async throws {
        var catalog = Catalog()
        catalog.add(Steps(gate: Gate()), id: "steps", title: "Steps", summary: "Goes step by step.")
        catalog.add(store: Bell(), id: "bell", title: "Bell", summary: "Rings.")
        let board = try await Board.open(catalog: catalog, journal: MemoryJournal())
        var configuration = WebConfiguration()
        configuration.mountPath = "/ops"
        configuration.helloRoute = true
        let dashboard = try Dashboard(board: board, configuration: configuration)
        let router = Router()
        if walled { router.add(middleware: Wall()) }
        router.mountWeir(dashboard, access: access)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let quiet = logger
        try await TestServer.serve(
            { bound in
                Application(
                    router: router,
                    server: .http1(
                        configuration: .init(additionalChannelHandlers: dashboard.channelHandlers())),
                    configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                    onServerRunning: { channel in bound.send(channel.localAddress?.port) }, logger: quiet)
            }, logger: quiet
        ) { port, _ in try await test(port, board) }
        await board.shutdown()
    }

    private func ask(
        _ method: String, _ path: String, _ port: Int, headers: [String] = []
    ) async throws -> RawResponse {
        let connection = try await RawConnection.open(port: port)
        try await connection.send(method, path, headers: headers, body: method == "POST" || method == "PUT" ? "" : nil)
        let response = try await connection.response(isHead: method == "HEAD")
        await connection.close()
        return response
    }

    private static func tails(_ epoch: String) -> [String] {
        ["board", "runs", "stores", "operation-steps", "store-bell", "run-x", "output-x", "nothing"].map {
            "/live/1/\($0)/\(epoch)/0/0"
        }
            + ["x/0/0", "\(epoch)/0/9223372036854775807", "\(epoch)/99/0", "snap", "\(epoch)/0/now"].map {
                "/live/1/board/\($0)"
            }
    }

    @Test func `an app's middleware stands before everything, held polls too`() async throws {
        try await app(walled: true, access: .open) { port, board in
            let paths = RouteTableTests.paths(run: "r", epoch: board.epoch, tail: "/live/1/board/\(board.epoch)/0/0")
            let connection = try await RawConnection.open(port: port)
            for path in paths + Self.tails(board.epoch) {
                for method in path.hasPrefix("/live/") ? [.get] : RouteTableTests.methods {
                    try await connection.send(method.rawValue, "/ops" + path)
                    let answer = try await connection.response(isHead: method == .head)
                    #expect(answer.status == 401, "\(method) \(path)")
                    #expect(answer.body.isEmpty, "\(method) \(path)")
                }
            }
            await connection.close()
        }
    }

    @Test func `without middleware an open dashboard answers tails through the router`() async throws {
        try await app(walled: false, access: .open) { port, board in
            let answer = try await ask("GET", "/ops/live/1/board/\(board.epoch)/0/0", port)
            #expect(answer.status == 200)
            #expect(try answer.json()["k"] == "batch")
        }
    }

    @Test func `who is not known gets nothing but the files, the health and the greeting`() async throws {
        try await app(walled: false, access: .authorizing { _, _ in nil }) { port, board in
            let paths = RouteTableTests.paths(run: "r", epoch: board.epoch, tail: "/live/1/board/\(board.epoch)/0/0")
            for path in paths + Self.tails(board.epoch) {
                let target = try RequestTarget(path, mount: MountPath("/"))
                let route = try #require(Route(target.segments))
                // A hook is held to its own secret.
                if case .hook = route { continue }
                for method in route.methods {
                    let answer = try await ask(method.rawValue, "/ops" + path, port, headers: ["Accept: text/html"])
                    let expected = route.requirement == .nothing ? 200 : 401
                    #expect(answer.status == expected, "\(method) \(path)")
                    if answer.status == 401 {
                        #expect(answer["www-authenticate"] == "Bearer", "\(method) \(path)")
                        #expect(answer["cache-control"] == "no-store", "\(method) \(path)")
                        #expect(!answer.text.contains("step by step"), "\(method) \(path)")
                        #expect(!answer.text.contains("Rings"), "\(method) \(path)")
                    }
                }
            }
        }
    }

    @Test func `the app is asked in the router, for a tail too, unless it says on the event loop who asks`()
        async throws
    {
        let asked = Shared(0)
        let authorize = { @Sendable (_: Request, _: BasicRequestContext) async throws -> Principal? in
            asked.value += 1
            return Principal(.person, name: "Ana")
        }
        try await app(walled: false, access: .authorizing(authorize)) { port, board in
            let answer = try await ask("GET", "/ops/live/1/board/\(board.epoch)/0/0", port)
            #expect(answer.status == 200)
            #expect(asked.value == 1)
        }
        asked.value = 0
        let ana = { @Sendable (head: HTTPRequest, _: SocketAddress?) -> EventLoopAnswer in
            head.headerFields[.cookie] == "ana" ? .principal(Principal(.person, name: "Ana")) : .refused
        }
        try await app(walled: false, access: .authorizing(authorize, onEventLoop: ana)) { port, board in
            let tail = "/ops/live/1/board/\(board.epoch)/0/0"
            // What an audience sees is put together in the router, for the first request of it.
            #expect(try await ask("GET", "/ops/", port).status == 200)
            asked.value = 0
            #expect(try await ask("GET", tail, port, headers: ["Cookie: ana"]).status == 200)
            let refused = try await ask("GET", tail, port)
            #expect(refused.status == 401)
            #expect(refused["content-type"] == "application/problem+json")
            #expect(refused["cache-control"] == "no-store")
            #expect(asked.value == 0)
        }
    }

    @Test
    func `a request whose target names another server than its host is refused where the dashboard is mounted, too`()
        async throws
    {
        try await app(walled: false, access: .open) { port, _ in
            for (target, status) in [("http://evil.example/ops", 400), ("http://localhost/ops", 200), ("/ops", 200)] {
                let connection = try await RawConnection.open(port: port)
                try await connection.send(raw: "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await connection.response().status == status, "\(target)")
                await connection.close()
            }
        }
    }

    @Test func `handlers of a dashboard that is mounted nowhere answer nothing`() async throws {
        let board = try await Board.open(catalog: Catalog(), journal: MemoryJournal())
        let dashboard = try Dashboard(board: board)
        let router = Router()
        router.get("**") { _, _ in "mine" }
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let quiet = logger
        try await TestServer.serve(
            { bound in
                Application(
                    router: router,
                    server: .http1(
                        configuration: .init(additionalChannelHandlers: dashboard.channelHandlers())),
                    configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                    onServerRunning: { channel in bound.send(channel.localAddress?.port) }, logger: quiet)
            }, logger: quiet
        ) { port, _ in
            let answer = try await ask("GET", "/live/1/board/\(board.epoch)/0/0", port)
            #expect(answer.text == "mine")
        }
        await board.shutdown()
    }
}
