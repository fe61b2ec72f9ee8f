import Dispatch
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import Testing
import TestSupport
@testable import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
import WeirPages
import WeirStates

@testable import WeirWeb

/// A server on a free port, with operations that a test has in hand.
struct TestServer: Sendable {
    /// A pool whose only thread is occupied: templates are not checked unless a test asks for it, which costs a second each.
    static let unchecked: WorkPool = {
        let pool = WorkPool(threads: 1)
        Task.detached { try await pool.run { DispatchSemaphore(value: 0).wait() } }
        return pool
    }()

    let board: Board
    let dashboard: Dashboard
    let port: Int
    let gate: Gate
    let registry: ConnectionRegistry
    let tasks: ConnectionTasks
    /// Asks the server to shut down, as a signal would.
    let shutDown: @Sendable () async -> Void

    /// Runs a test against a server, then ends it.
    static func run(
        journal: any Journal = MemoryJournal(epoch: "testepoch0001"), configuration: WebConfiguration = .init(),
        clock: (any WaitClock)? = nil, tailLimit: Int = 10_000, holdUploads: Bool = false,
        printing: Bool = false, bell: Bool = false, secret: Bool = false, reporting: Bool = false,
        scheduled: Bool = false, watched: Bool = false, artifacts: ArtifactStore? = nil,
        limits: ConnectionLimits? = nil, logger: Logger? = nil, asServed: Bool = true,
        checkingOn pool: WorkPool = TestServer.unchecked,
        access: DashboardAccess<DashboardContext> = .open,
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let gate = Gate()
        var configuration = configuration
        if asServed {
            // As `weir serve` does on loopback; the library trusts nobody and greets nobody by itself.
            configuration.acceptsClaimedActors = true
            configuration.helloRoute = true
        }
        var catalog = Catalog()
        catalog.add(
            Steps(gate: gate), id: "steps", title: "Steps", summary: "Goes step by step.",
            schedule: scheduled ? try Schedule(cron: "0 0 29 2 *", timezone: "Europe/Lisbon") : nil,
            scheduledInput: ["label": "leap"])
        if watched {
            catalog.add(
                WatchedSteps(gate: gate), id: "watched", title: "Watched", summary: "", lifetime: .whileWatched())
        }
        catalog.add(Keep(gate: holdUploads ? gate : nil), id: "keep", title: "Keep", summary: "Keeps a file.")
        if printing { catalog.add(Printer(gate: gate), id: "printer", title: "Printer", summary: "Prints lines.") }
        if bell { catalog.add(store: Bell(), id: "bell", title: "Bell", summary: "Rings.") }
        if secret {
            catalog.add(Steps(gate: gate), id: "secret", title: "Secret", summary: "Keeps a secret.")
            catalog.add(store: Bell(), id: "vault", title: "Vault", summary: "Keeps a secret.")
        }
        var boards = Board.Configuration()
        boards.tailLimit = tailLimit
        boards.tickInterval = .zero
        boards.reportsUndeclared = reporting
        boards.artifacts = artifacts
        if reporting { catalog.addReported(id: "deploy", title: "Deploy", summary: "Is done elsewhere.") }
        if let limits { configuration.connections = limits }
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let logger = logger ?? quiet
        let group = MultiThreadedEventLoopGroup.singleton
        let clock = clock ?? FixedWallClock(group: group)
        let board = try await Board.open(
            catalog: catalog, journal: journal, configuration: boards, makeID: { clock.makeRunID() }, logger: logger)
        let assets = try AssetLibrary(overlay: configuration.publicFolder)
        let dashboard = try Dashboard(
            board: board,
            renderer: PageRenderer(
                catalog: catalog, templates: TemplateSet(), mountPath: MountPath(configuration.mountPath).description,
                assetFolder: assets.folder),
            assets: assets, configuration: configuration, eventLoopGroup: group,
            clock: clock,
            makeID: { UUID().uuidString.lowercased() }, logger: logger, checkingOn: pool)
        let registry = Shared<ConnectionRegistry?>(nil)
        let tasks = Shared<ConnectionTasks?>(nil)
        try await serve(
            { bound in
                let server = DashboardServer(
                    dashboard: dashboard, access: access, host: "127.0.0.1", port: 0, eventLoopGroup: group
                ) { bound.send($0) }
                registry.value = server.registry
                tasks.value = server.tasks
                return server
            }, logger: logger
        ) { port, shutDown in
            // What a test leaves open would be waited for, without end if its clock stands still.
            defer {
                dashboard.letTasksGo()
                registry.value?.closeAll()
            }
            try await test(
                TestServer(
                    board: board, dashboard: dashboard, port: port, gate: gate, registry: #require(registry.value),
                    tasks: #require(tasks.value), shutDown: shutDown))
        }
        await board.shutdown()
    }

    /// Opens a connection.
    func connect(isReading: Bool = true) async throws -> RawConnection {
        try await RawConnection.open(port: port, isReading: isReading)
    }

    /// Sends one request on a connection of its own and reads its answer.
    func ask(
        _ method: String, _ path: String, headers: [String] = [], body: String? = nil
    ) async throws -> RawResponse {
        let connection = try await connect()
        try await connection.send(method, path, headers: headers, body: body)
        let response = try await connection.response(isHead: method == "HEAD")
        await connection.close()
        return response
    }

    /// Starts a run of `steps` by hand.
    func start(_ label: String = "a", last: Int = 0) async throws -> StartReceipt {
        let receipt = try await board.start(
            "steps", input: ["label": .string(label), "last": .integer(Int64(last))], actor: "test")
        try await until { try await board.run(receipt.run).state.payload["number"]?.integer == Int64(last) }
        return receipt
    }

    /// Waits until so many requests are held.
    func untilHeld(_ count: Int) async throws { try await until { dashboard.held == count } }

    /// Waits until nobody is held any more at the moment that the clock shows: who is held is counted before their
    /// timer is set, so that the moment may have come first.
    func untilLetGo(by clock: ManualClock) async throws {
        try await until {
            dashboard.held == 0
        } otherwise: {
            clock.advance(by: 0)
        }
    }

    /// The URL of a tail at the feed's head, in the current slot.
    func tail(_ feed: String = "board", at sequence: SequenceNumber? = nil) throws -> String {
        let page = try #require(dashboard.renderer.page(feedName: feed))
        let head = sequence ?? board.feed.head(of: page.topic.topic)
        return dashboard.pollResponder.answers.cursor(page, sequence: head, after: "").next
    }
}
