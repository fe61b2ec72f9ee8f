import Foundation
import Logging
import NIOPosix
import Testing
@testable import WeirAccess
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

@testable import WeirWeb

/// A server on a free port that knows people by password, with an administrator `root` and a viewer `vera`.
struct AccountServer: Sendable {
    static let password = "correct horse"

    let port: Int
    let directory: AccessDirectory
    let folder: URL
    let board: Board
    let dashboard: Dashboard
    let gate: Gate

    static func run(
        _ mode: AccessConfiguration.Mode = .password, isEmpty: Bool = false, publicURL: String? = nil,
        provider: (any IdentityProvider)? = nil, mailer: Accounts.Mailer? = nil, hooks: KnownHooks? = nil,
        logger: Logger? = nil, secondFactorRoles: Set<String> = [], journal: any Journal = MemoryJournal(),
        _ test: @escaping @Sendable (AccountServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-accounts-\(UUID())")
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        var catalog = Catalog()
        let gate = Gate()
        catalog.add(
            Steps(gate: gate), id: "steps", title: "Steps", summary: "Goes step by step.", tags: ["production"])
        catalog.add(
            Steps(gate: gate), id: "secret", title: "Secret", summary: "Keeps a secret.",
            schedule: try Schedule(cron: "0 0 29 2 *", timezone: "Europe/Lisbon"), scheduledInput: ["label": "leap"])
        catalog.add(Printer(gate: gate), id: "printer", title: "Printer", summary: "Prints lines.")
        catalog.add(store: Bell(), id: "bell", title: "Bell", summary: "Rings.", tags: ["production"])
        let group = MultiThreadedEventLoopGroup.singleton
        // What is held does not end while a test takes its time.
        let clock = FixedWallClock(group: group)
        var measures = Board.Configuration()
        measures.reportsUndeclared = true
        let board = try await Board.open(
            catalog: catalog, journal: journal, configuration: measures, makeID: { clock.makeRunID() })
        var configuration = AccessConfiguration(mode)
        configuration.publicURL = publicURL
        configuration.secondFactorRoles = secondFactorRoles
        if case .proxy = mode { configuration.trustedProxies = [try #require(NetworkRange("127.0.0.1"))] }
        configuration.cost = try #require(ScryptCost(4, 8, 1))
        let directory = try await AccessDirectory(
            configuration, control: AccessControl(), storage: MemoryAccessStorage(), audit: AuditLog(folder: folder))
        if !isEmpty {
            for (name, role) in [("root", "admin"), ("vera", "viewer")] {
                try await directory.addUser(
                    name, password: password, roles: [StoredAssignment(role: role)], by: .system)
            }
        }
        var web = WebConfiguration()
        web.offersLinks = true
        web.hooks = hooks
        var quiet = Logger(label: "test")
        quiet.logLevel = .critical
        let logger = logger ?? quiet
        let assets = try AssetLibrary(overlay: nil)
        let dashboard = try Dashboard(
            board: board,
            renderer: PageRenderer(
                catalog: catalog, templates: TemplateSet(), mountPath: "", assetFolder: assets.folder, offersLinks: true
            ),
            assets: assets, configuration: web, eventLoopGroup: group, clock: clock,
            makeID: { UUID().uuidString.lowercased() }, logger: logger)
        try await TestServer.serve(
            { bound in
                DashboardServer(
                    dashboard: dashboard, access: .accounts(Accounts(directory, provider: provider, mailer: mailer)),
                    host: "127.0.0.1", port: 0,
                    eventLoopGroup: group
                ) { bound.send($0) }
            }, logger: logger
        ) { port, _ in
            try await test(
                AccountServer(
                    port: port, directory: directory, folder: folder, board: board, dashboard: dashboard, gate: gate))
        }
        await board.shutdown()
    }

    func ask(_ method: String, _ path: String, _ headers: [String] = [], body: String? = nil) async throws
        -> RawResponse
    {
        let connection = try await RawConnection.open(port: port)
        try await connection.send(method, path, headers: headers, body: body)
        let response = try await connection.response(isHead: method == "HEAD")
        await connection.close()
        return response
    }

    /// Opens a connection.
    func connect(isReading: Bool = true) async throws -> RawConnection {
        try await RawConnection.open(port: port, isReading: isReading)
    }

    /// Adds a user with a role, and signs them in.
    func person(_ name: String, _ role: String, operations: [String]? = nil, tags: [String]? = nil) async throws
        -> String
    {
        try await directory.addUser(
            name, password: Self.password, roles: [StoredAssignment(role: role, operations: operations, tags: tags)],
            by: .system)
        return try await cookie(of: name)
    }

    /// What a browser sends with a form of this server's own page.
    static let form = ["Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: same-origin"]

    /// The cookie of somebody who signs in.
    func cookie(of name: String) async throws -> String {
        let response = try await ask(
            "POST", "/sign-in", Self.form, body: "name=\(name)&password=correct+horse&back=/")
        let field = try #require(response.headers["set-cookie"])
        return "Cookie: \(field.prefix { $0 != ";" })"
    }

    /// The field of a token with a role.
    func bearer(_ role: String) async throws -> String {
        let token = try await directory.createToken(
            role, roles: [StoredAssignment(role: role)], days: nil, by: .system
        ).token
        return "Authorization: Bearer \(token.text)"
    }
}
