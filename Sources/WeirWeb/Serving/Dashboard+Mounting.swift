public import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
import Tracing
import WeirAccess
public import WeirBoards
import WeirPages
import WeirTelemetry

extension RouterMethods {
    /// Mounts a dashboard at its configuration's mount path: pages, feeds, API and assets.
    ///
    /// The dashboard owns the whole path and answers unknown paths with 404 or 405. Polls are held by routes: a disconnected
    /// client is noticed when its slot ends, within 14 s, or at shutdown. To notice it at once, also give
    /// `dashboard.channelHandlers()` to the server (`additionalChannelHandlers`). Problems of templates are logged, with file
    /// and line, after a check in the background.
    ///
    /// - Parameters:
    ///   - dashboard: The dashboard to mount.
    ///   - access: Who may use it. Behind middleware that admits only users with all permissions, pass `.open`.
    /// - Returns: The router.
    @discardableResult public func mountWeir(_ dashboard: Dashboard, access: DashboardAccess<Context>) -> Self {
        let path = dashboard.mount.description
        dashboard.attach(access.check) { [logger = dashboard.logger] problems in logger.report(problems) }
        let respond = { @Sendable (request: Request, context: Context) async throws -> Response in
            let authentication = try await access.authenticate(request, context)
            return await dashboard.respond(to: request, authentication, check: access.check)
        }
        for method in [HTTPRequest.Method.get, .head, .post, .put, .patch, .delete, .options] {
            on(RouterPath(path), method: method, use: respond)
            on(RouterPath(path + "/**"), method: method, use: respond)
        }
        return self
    }

    /// Mounts a board's dashboard at a path, such as `/ops`, with the default configuration.
    ///
    /// - Parameters:
    ///   - board: The board to show.
    ///   - path: The mount path.
    ///   - templates: A folder laid out like `Templates`, whose files add to the bundled ones and override them.
    ///   - access: Who may use it.
    ///   - logger: The dashboard's logger.
    /// - Returns: The router.
    /// - Throws: `TemplateSetError`, or a file system error, if templates or `Public` cannot be read.
    @discardableResult public func mountWeir(
        _ board: Board, at path: String, templates: URL? = nil, access: DashboardAccess<Context>,
        logger: Logger = Logger(label: "weir.web")
    ) throws -> Self {
        var configuration = WebConfiguration()
        configuration.mountPath = path
        let dashboard = try Dashboard(
            board: board, templates: TemplateSet(overlay: templates), configuration: configuration, logger: logger)
        return mountWeir(dashboard, access: access)
    }
}

extension Logger {
    fileprivate func report(_ problems: [TemplateProblem]) {
        guard !problems.isEmpty else { return }
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        warning("The templates have \(count), and pages lack something until that is corrected:")
        for problem in problems { warning("\(problem)") }
    }
}

/// Answers all requests of a server with a dashboard.
struct DashboardResponder<Context: RequestContext>: HTTPResponder {
    private let dashboard: Dashboard
    private let access: DashboardAccess<Context>

    /// Creates a responder; the caller must attach the dashboard.
    init(_ dashboard: Dashboard, access: DashboardAccess<Context>) {
        self.dashboard = dashboard
        self.access = access
    }

    /// Returns the dashboard's response.
    ///
    /// Suspends while a request is held or a body is read; throws the errors of the app's authentication.
    func respond(to request: Request, context: Context) async throws -> Response {
        let path = request.head.path ?? ""
        let mount = dashboard.mount.description
        return try await dashboard.services.requests.answer(
            request, ownID: context.id, path: path.hasPrefix(mount) ? String(path.dropFirst(mount.count)) : path
        ) {
            try await answer(request, context).paced(on: context as? DashboardContext)
        }
    }

    private func answer(_ request: Request, _ context: Context) async throws -> Response {
        let authentication = try await access.authenticate(request, context)
        let stopBody = (context as? DashboardContext).map { context in { @Sendable in context.stopBody() } }
        guard let accounts = access.accounts else {
            return await dashboard.respond(
                to: request, authentication, check: access.check, stopBody: stopBody)
        }
        let peer = (context as? any RemoteAddressRequestContext)?.remoteAddress?.ipAddress
        var request = request
        if request.headers[.forwardedProto] != nil, !accounts.directory.isTrustedProxy(peer) {
            var head = request.head
            head.headerFields[.forwardedProto] = nil
            request = Request(head: head, body: request.body)
        }
        let origin = RequestOrigin(
            accounts: accounts,
            audit: AuditOrigin(
                address: accounts.directory.address(peer: peer, forwardedFor: request.headers[values: .forwardedFor]),
                request: ServiceContext.current?.log.request ?? context.id),
            isProxied: accounts.directory.isTrustedProxy(peer))
        let check = access.check.narrowed(for: authentication)
        let pages = AccountResponder(dashboard: dashboard, accounts: accounts, check: check)
        if let response = pages.dutyRedirect(request, authentication) { return response }
        if let response = await pages.respond(
            to: request, authentication, from: origin, peer: peer, on: context as? DashboardContext)
        {
            return response
        }
        let response = await dashboard.respond(
            to: request, authentication, check: check, from: origin, stopBody: stopBody)
        return pages.signInRedirect(for: response.status, request, request.head.path ?? "") ?? response
    }
}
