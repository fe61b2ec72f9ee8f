public import Foundation
import HTTPTypes
public import Hummingbird
public import Logging
import Tracing
import WeirAccess
public import WeirBoards
import WeirJournals
import WeirPages
import WeirStates
import WeirTelemetry

extension Dashboard {
    /// Answers a request below the mount path.
    ///
    /// Never throws; errors become responses.
    ///
    /// Suspends while a request is held, at most 14 s (60 s with the API's `wait`), and while a body is read.
    func respond(
        to request: Request, _ authentication: Authentication, check access: AccessCheck,
        from origin: RequestOrigin? = nil,
        stopBody: (@Sendable () -> Void)? = nil
    ) async -> Response {
        let text = request.head.path ?? ""
        var route: Route?
        var audited = AuditedRequest()
        var seen = access.isOpen ? everything : nothing
        var response: Response
        do throws(Problem) {
            let target = try target(request, text: text, check: access, route: &route)
            if target.hasTrailingSlash {
                response = .moved(to: target.withoutTrailingSlash)
            } else {
                guard let route else { throw .noSuchPage }
                response = try await answer(
                    request, target, route, authentication, check: access, from: origin, stopBody: stopBody,
                    seen: &seen, audited: &audited)
            }
            // The effects of changing requests are reported regardless of the answer's size.
            if request.method == .get { response = try response.counted(in: services.answers) }
        } catch {
            seen = await dashboard(for: authentication, access) ?? seen
            let account = authentication.authorization.flatMap { origin?.header($0) }
            response = self.response(
                to: error, request: request, text: text, route: route, account: account, seen: seen)
        }
        if let origin, let route { origin.record(request, route, audited, response) }
        let isPage = response.headers[.contentType]?.hasPrefix("text/html") ?? false
        let ancestors = route?.isEmbeddable == true ? configuration.frameAncestors : []
        SecurityHeaders.add(to: &response.headers, isPage: isPage, embeddedBy: ancestors)
        if !access.isOpen, let route, route.requirement != .nothing { keepPrivate(&response, route, seen) }
        if request.head.isLast { response.headers[.connection] = "close" }
        return request.method == .head ? response.head() : response
    }

    /// Checks a request, in this order: host, path, method, origin.
    private func target(
        _ request: Request, text: String, check access: AccessCheck, route: inout Route?
    ) throws(Problem) -> RequestTarget {
        if let problem = check.problem(with: request.head) { throw problem }
        let isCrossSite =
            !request.isSafe
            && !CrossSiteCheck.allows(
                request.headers, authority: request.head.authority, isEncrypted: request.head.scheme == "https",
                isByCookie: !access.isOpen && CrossSiteCheck.isByCookie(request.headers))
        let target: RequestTarget
        do {
            target = try RequestTarget(text, mount: mount)
        } catch {
            throw error == .outside ? .noSuchPage : .malformedPath
        }
        if target.hasTrailingSlash {
            // Only pages move: a program would silently lose the body of its request.
            guard request.isSafe, target.segments.first != "api", Route(target.segments)?.isForPrograms != true else {
                throw .noSuchPage
            }
            return target
        }
        route = Route(target.segments)
        guard let route else { throw .noSuchPage }
        guard route.methods.contains(request.method) else { throw .methodNotAllowed(route.methods) }
        if isCrossSite { throw .crossSite }
        if request.isEncoded { throw .encodedBody }
        return target
    }

    /// Answers with the dashboard of the sender's audience, and again if the sender's permissions change meanwhile.
    private func answer(
        _ request: Request, _ target: RequestTarget, _ route: Route, _ authentication: Authentication,
        check access: AccessCheck, from origin: RequestOrigin?, stopBody: (@Sendable () -> Void)?,
        seen: inout AudienceDashboard, audited: inout AuditedRequest
    ) async throws(Problem) -> Response {
        if case .hook(let operation, let name) = route {
            let receiver = HookReceiver(
                dashboard: everything, request: request, target: target, route: route, eventLoop: eventLoopGroup.any())
            return try await receiver.receive(operation, name, audited: &audited)
        }
        if !access.isOpen, route.requirement == .nothing {
            var exchange = try exchange(request, target, route, nil, nil, nil)
            exchange.origin = origin
            return try await seen.answer(exchange)
        }
        guard case .authorized(let authorization) = authentication else {
            if case .refused(let refusal) = authentication { throw Problem(refusal) }
            throw .unauthenticated
        }
        audited.principal = authorization.principal
        if let duty = authorization.principal.duty { throw .required(duty) }
        var admission = Admission(authorization: authorization, check: access)
        for _ in 0..<3 {
            do { seen = try await audiences.dashboard(for: admission.key) } catch { throw Problem(error) }
            let operation = try await seen.admit(
                route.requirement, isAnonymous: admission.authorization.isAnonymous)
            // A link permits reading its run only, regardless of the route.
            guard request.isSafe || !seen.permissions.isLink else { throw .forbidden }
            let right = access.isOpen ? nil : HeldRight(admission, route.requirement, operation: operation)
            audited.isAdmitted = true
            var exchange = try exchange(
                request, target, route, admission, right, origin?.header(admission.authorization))
            let name = admission.authorization.principal.name
            audited.actor = exchange.actor == name ? nil : exchange.actor
            if audited.principal.kind == .person { exchange.directory = origin?.accounts.directory }
            exchange.notes = audited.notes
            exchange.origin = origin
            exchange.auditRun = origin.map { $0.recorder(of: audited) }
            var reading: Int?
            if !request.isSafe, let right, let stopBody {
                reading = services.bodiesBeingRead.begin(right, stop: stopBody)
            }
            defer { if let reading { services.bodiesBeingRead.end(reading) } }
            if route == .assistant {
                return try await AssistantRoute(dashboard: seen, exchange: exchange) {
                    await self.respond(to: $0, authentication, check: access, from: origin)
                }.answer()
            }
            let response = try await seen.answer(exchange)
            if origin != nil, let run = route.shownRun {
                audited.showsOutput = ((try? await seen.board.outputTail(of: run).head) ?? 0) > 0
            }
            // Changes are final, but a read must still be permitted.
            guard request.isSafe else { return response }
            guard let current = admission.current else { throw .unauthenticated }
            if current.audience == admission.audience { return response }
            admission = current
        }
        throw Problem(BoardError(.unavailable, Message(ProblemWording.rightsChange)))
    }

    private func exchange(
        _ request: Request, _ target: RequestTarget, _ route: Route, _ admission: Admission?, _ right: HeldRight?,
        _ account: PageAccount?
    ) throws(Problem) -> Exchange {
        Exchange(
            request: request, target: target, route: route, locale: locale(of: request),
            viewer: try viewer(of: request, route, admission), eventLoop: eventLoopGroup.any(), admission: admission,
            right: right, account: account)
    }

    private func viewer(of request: Request, _ route: Route, _ admission: Admission?) throws(Problem) -> PageViewer {
        guard let admission, !admission.check.isOpen else {
            return try check.actors.viewer(
                of: request.headers, cookie: ViewerName.name(in: request), isForPrograms: route.isForPrograms,
                isSafe: request.isSafe)
        }
        let principal = admission.authorization.principal
        let name = principal.kind == .person ? ReservedName.person(principal.name) : principal.name
        let own = ActorName(typed: name)?.text ?? ActorCheck.unknown
        // Only administrators may act for others.
        let claims = request.headers[values: .weirActor]
        guard admission.permissions.allowsEverywhere(.administer), let claim = claims.first else {
            return PageViewer(name: own, canRename: false)
        }
        guard claims.count == 1, let name = ActorName(claim) else { throw .malformedActor(.weirActor) }
        return PageViewer(name: name.text, canRename: false)
    }

    /// The dashboard of the sender's audience, for error pages.
    private func dashboard(for authentication: Authentication, _ access: AccessCheck) async -> AudienceDashboard? {
        guard case .authorized(let authorization) = authentication else { return nil }
        return try? await audiences.dashboard(for: Admission(authorization: authorization, check: access).key)
    }

    private func keepPrivate(_ response: inout Response, _ route: Route, _ seen: AudienceDashboard) {
        // Feeds set their own cache policy.
        switch route {
        case .poll: return
        case .api(let route) where route.resource.right == .feed: return
        default: break
        }
        if response.headers[.cacheControl] != "no-store" { response.headers[.cacheControl] = "private, no-store" }
    }

    /// Returns the problem as a document for programs, or as a page for browsers.
    private func response(
        to problem: Problem, request: Request, text: String, route: Route?, account: PageAccount?,
        seen: AudienceDashboard
    ) -> Response {
        var response: Response
        let accept = request.headers[.accept] ?? ""
        if route?.isForPrograms != true, accept.contains("text/html") {
            var frame = PageFrame(locale: locale(of: request), path: text)
            frame.account = account
            response = problem.page(by: seen.renderer, frame)
            response.headers[.cacheControl] = "no-store"
        } else {
            response = problem.document(at: text, by: seen.renderer, in: locale(of: request))
        }
        for field in problem.headers { response.headers.append(field) }
        if problem.closes { response.headers[.connection] = "close" }
        return response
    }

    private func locale(of request: Request) -> PageLocale {
        renderer.locale(
            choice: request.cookies[Languages.cookie]?.value, acceptLanguage: request.headers[.acceptLanguage])
    }
}

extension Request {
    fileprivate var isSafe: Bool { [.get, .head].contains(method) }

    /// Whether the body has a coding, such as gzip.
    var isEncoded: Bool { headers[.contentEncoding].map { !["", "identity"].contains($0.lowercased()) } ?? false }
}

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
        let target = try? RequestTarget(request.head.path ?? "", mount: dashboard.mount)
        if let target, !target.hasTrailingSlash, let route = AccountRoute(target.segments) {
            return await pages.respond(
                to: request, target, route, authentication, from: origin, peer: peer,
                on: context as? DashboardContext)
        }
        let response = await dashboard.respond(
            to: request, authentication, check: check, from: origin, stopBody: stopBody)
        return pages.signInRedirect(for: response.status, request, request.head.path ?? "") ?? response
    }
}
