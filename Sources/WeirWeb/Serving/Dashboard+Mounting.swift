public import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
public import WeirBoards
import WeirPages

extension RouterMethods {
    /// Mounts a dashboard at its configuration's mount path: pages, feeds, API and assets.
    ///
    /// The path is taken as a whole: what it has no answer to is answered with 404 or 405 by the dashboard. Polls are held
    /// by routes here: a client that leaves is noticed when its slot ends, within 14 s, or when the server shuts down. To
    /// have it noticed at once, give `dashboard.channelHandlers()` to the server too (`additionalChannelHandlers`).
    /// Problems of templates are logged, by file and line, when a check in the background has ended.
    ///
    /// - Parameters:
    ///   - dashboard: What is mounted.
    ///   - access: Who may use it. Behind middleware that lets in only those who may do everything, write `.open`.
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

    /// Mounts a board's dashboard at a path, such as `/ops`, with everything else as it is by default.
    ///
    /// - Parameters:
    ///   - board: What is shown.
    ///   - path: Where, in the paths of the server.
    ///   - templates: A folder laid out as `Templates`, whose files add to the bundled ones and take their place.
    ///   - access: Who may use it.
    ///   - logger: Where the dashboard reports what it does.
    /// - Returns: The router.
    /// - Throws: `TemplateSetError`, or what the file system says, when templates or `Public` cannot be read.
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
    /// Logs the number of problems of templates and strings, and then each of them.
    fileprivate func report(_ problems: [TemplateProblem]) {
        guard !problems.isEmpty else { return }
        let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
        warning("The templates have \(count), and pages lack something until that is corrected:")
        for problem in problems { warning("\(problem)") }
    }
}
