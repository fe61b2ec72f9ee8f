import HTTPTypes
import Testing
import WeirBoards
import WeirJournals
import WeirStates

@testable import WeirWeb

/// All that a URL can name, held against what must be so of each.
@Suite(.timeLimit(.minutes(15)))
struct RouteTableTests {
    /// A path of each kind of route.
    ///
    /// The switch below and the table of the API have every kind, so that a route cannot be added without a path here.
    static func paths(run: String, epoch: String, tail: String) -> [String] {
        [
            "/", "/runs", "/operations/steps", "/runs/\(run)", "/stores", "/stores/bell", "/after/\(epoch).0",
            "/operations/steps/runs", "/operations/steps/badge.svg", "/operations/steps/uploads",
            "/operations/steps/uploads/u", "/api/v1/operations/steps/uploads", "/api/v1/operations/steps/uploads/u",
            "/runs/\(run)/moments?a=9000000", "/widgets/operations/steps", "/widgets/runs/\(run)/after/\(epoch).0",
            "/operations/steps/compare?a=\(run)&b=\(run)", "/operations/steps/health",
            "/report", "/api/v1/report", "/operations/steps/acknowledgement", "/operations/steps/acknowledgement/end",
            "/api/v1/operations/steps/acknowledgement", "/api/v1/operations/steps/acknowledgement/end",
            "/api/v1/operations/steps/health", "/runs/\(run)/cancellation", "/runs/\(run)/retries",
            "/runs/\(run)/continuation", "/runs/\(run)/decision",
            "/api/v1/runs/\(run)/continuation", "/api/v1/runs/\(run)/decision",
            "/stores/bell/actions", "/stores/bell/state", "/stores/bell/reset",
            "/stores/bell/effects/2/0", "/name", "/runs/\(run)/output", "/runs/\(run)/lines", "/runs/\(run)/export",
            "/runs/\(run)/artifacts/a/b.txt", "/api/v1/runs/\(run)/artifacts", "/api/v1/runs/\(run)/artifacts/a/b.txt",
            "/runs/export",
            "/runs/change?change=cancel", "/runs/cancellations", "/runs/retries", "/runs/deletions", "/runs/views",
            "/pins",
            "/operations/steps/presets", "/operations/steps/presets/new",
            "/imports", "/schedules", "/schedules/steps/pause", "/schedules/steps/resumption", "/api/v1/schedules",
            "/api/v1/schedules/steps", "/api/v1/schedules/steps/pause", "/api/v1/schedules/steps/resumption",
            "/gallery", "/api", "/mcp", "/system", "/metrics", tail, "/assets/weir.js", "/health/live", "/health/ready",
            "/health/connection",
            "/hello?label=a", "/api/v1/operations", "/api/v1/operations/steps", "/api/v1/operations/steps/runs",
            "/api/v1/runs", "/api/v1/runs/\(run)", "/api/v1/runs/\(run)/cancellation", "/api/v1/runs/\(run)/retries",
            "/api/v1/runs/\(run)/comparison?with=\(run)", "/api/v1/stores", "/api/v1/stores/bell",
            "/api/v1/stores/bell/actions", "/api/v1/stores/bell/state", "/api/v1/stores/bell/reset",
            "/api/v1/runs/\(run)/output", "/api/v1/runs/\(run)/export", "/api/v1/runs/export", "/api/v1/imports",
            "/api/v1/feeds/board/changes", "/notices/n/dismissal", "/api/v1/notices", "/api/v1/notices/n/dismissal",
            "/api/v1/backups",
            "/api/v1/backups/latest", "/api/v1/servers", "/resumption", "/api/v1/resumption",
            "/api/v1/streams/board", "/api/v1/streams/output-\(run)/text", "/api/v1/streams/reported/steps/\(run)",
            "/hooks/steps/push", "/operations/steps/notifications/test", "/api/v1/operations/steps/triggers",
            "/api/v1/operations/steps/notifications", "/api/v1/operations/steps/notifications/test",
            "/api/v1/runs/\(run)/notifications", "/notifications/test", "/api/v1/notifications",
            "/api/v1/notifications/test", "/api/v1/openapi.json",
        ]
    }

    static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]

    private func route(_ path: String) throws -> Route? {
        Route(try RequestTarget(path, mount: MountPath("/")).segments)
    }

    @Test func `the list of paths has one of each kind`() throws {
        let paths = Self.paths(run: "r", epoch: "e", tail: "/live/1/board/e/0/0")
        let routes = try paths.map { try #require(try route($0)) }
        var kinds: Set<String> = []
        for route in routes {
            kinds.insert(apiPath(route).map { "api " + $0 } ?? name(route))
        }
        #expect(kinds.count == Self.kindCount)
    }

    @Test func `a run cannot have a name that stands in a run's place in another address`() throws {
        let paths = Self.paths(run: "r", epoch: "e", tail: "/live/1/board/e/0/0")
        let words = Set(paths.flatMap { $0.split { "/?".contains($0) }.map(String.init) }).union(["r"])
        let taken = try words.filter { word in
            let routes = try ["/runs/\(word)", "/runs/\(word)/export"].map { try route($0) }
            let api = try ["/api/v1/runs/\(word)", "/api/v1/runs/\(word)/export"].map { apiPath(try route($0)) }
            return routes != [.page(.run(word)), .runExport(word)]
                || api != ["runs/{run}", "runs/{run}/export"]
        }
        // The last one leads to the list of runs, after a change.
        #expect(taken.union(["after"]) == StreamID.reservedRuns && !taken.contains("r"))
        #expect(try route("/runs/after/export") == .pageAfter(.runs, cursor: "export"))
    }

    @Test func `no page of another site reaches anything that changes something`() async throws {
        try await TestServer.run(bell: true) { server in
            let run = try await server.start().run
            let head = server.board.feed.head(of: .board)
            let forgeries = [
                ["Sec-Fetch-Site: cross-site"], ["Origin: http://evil.example"],
                ["Sec-Fetch-Site: none", "Origin: http://evil.example"],
            ]
            for path in Self.paths(run: run, epoch: server.board.epoch, tail: try server.tail()) {
                let allowed = try #require(try route(path)).methods
                for method in Self.methods where ![.get, .head].contains(method) {
                    for forgery in forgeries {
                        let answer = try await server.ask(method.rawValue, path, headers: forgery, body: "")
                        let expected = allowed.contains(method) ? 403 : 405
                        #expect(answer.status == expected, "\(method) \(path) \(forgery)")
                    }
                }
            }
            #expect(server.board.feed.head(of: .board) == head)
        }
    }

    @Test func `reading changes nothing`() async throws {
        try await TestServer.run(bell: true) { server in
            let run = try await server.start().run
            let head = server.board.feed.head(of: .board)
            for path in Self.paths(run: run, epoch: server.board.epoch, tail: try server.tail(at: 0)) {
                let allowed = try #require(try route(path)).methods
                for method in ["GET", "HEAD"] {
                    let answer = try await server.ask(method, path, headers: ["Idempotency-Key: k"])
                    let isAllowed = allowed.map(\.rawValue).contains(method)
                    #expect((answer.status == 405) == !isAllowed, "\(method) \(path)")
                }
                // What can be read cannot be written at the same address, except a run that is reported or deleted there, and
                // forms with pages of their own.
                if path.hasPrefix("/api/v1/streams/reported/") || path == "/api/v1/runs/\(run)" { continue }
                if path.hasSuffix("/acknowledgement") || path.hasSuffix("/pause") { continue }
                #expect(allowed.contains(.get) != allowed.contains { ![.get, .head].contains($0) }, "\(path)")
            }
            #expect(server.board.feed.head(of: .board) == head)
            #expect(try await server.board.runs(.init()).runs.count == 1)
        }
    }

    /// The number of cases in the switch below, except the API, and of the resources of the API.
    private static let kindCount = 56 + APIResource.table.count

    private func apiPath(_ route: Route?) -> String? {
        guard case .api(let route)? = route else { return nil }
        return route.resource.path
    }

    private func name(_ route: Route) -> String {
        switch route {
        case .page: "page"
        case .pageAfter: "pageAfter"
        case .operationRuns: "operationRuns"
        case .operationUploads: "operationUploads"
        case .operationUpload: "operationUpload"
        case .badge: "badge"
        case .widget: "widget"
        case .moments: "moments"
        case .widgetAfter: "widgetAfter"
        case .comparison: "comparison"
        case .operationHealth: "operationHealth"
        case .report: "report"
        case .acknowledgement: "acknowledgement"
        case .acknowledgementEnd: "acknowledgementEnd"
        case .runCancellation: "runCancellation"
        case .runRetries: "runRetries"
        case .runContinuation: "runContinuation"
        case .runDecision: "runDecision"
        case .storeActions: "storeActions"
        case .storeState: "storeState"
        case .storeReset: "storeReset"
        case .storeEffect: "storeEffect"
        case .viewerName: "viewerName"
        case .runOutput: "runOutput"
        case .runLines: "runLines"
        case .runArtifact: "runArtifact"
        case .runExport: "runExport"
        case .runsExport: "runsExport"
        case .pins: "pins"
        case .runViews: "runViews"
        case .presets: "presets"
        case .presetForm: "presetForm"
        case .runChange: "runChange"
        case .manyRunCancellations: "manyRunCancellations"
        case .manyRunRetries: "manyRunRetries"
        case .manyRunDeletions: "manyRunDeletions"
        case .imports: "imports"
        case .resumption: "resumption"
        case .noticeDismissal: "noticeDismissal"
        case .schedules: "schedules"
        case .schedulePause: "schedulePause"
        case .scheduleResumption: "scheduleResumption"
        case .hook: "hook"
        case .notificationTest: "notificationTest"
        case .serverNotificationTest: "serverNotificationTest"
        case .gallery: "gallery"
        case .system: "system"
        case .poll: "poll"
        case .asset: "asset"
        case .metrics: "metrics"
        case .healthLive: "healthLive"
        case .healthReady: "healthReady"
        case .healthConnection: "healthConnection"
        case .hello: "hello"
        case .apiGuide: "apiGuide"
        case .assistant: "assistant"
        case .api: "api"
        }
    }
}
