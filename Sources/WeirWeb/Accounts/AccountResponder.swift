import HTTPTypes
import Hummingbird
import NIOCore
import WeirAccess
import WeirPages
import WeirStates

/// Answers requests about accounts: signing in and out, users, tokens, links and the audit log.
///
/// It runs before the dashboard's own routes, because anonymous visitors must be able to sign in. It uses the board only to
/// check the right to share a run.
struct AccountResponder: Sendable {
    let dashboard: Dashboard
    let accounts: Accounts
    let check: AccessCheck

    var directory: AccessDirectory { accounts.directory }

    struct Visit: Sendable {
        let request: Request
        let target: RequestTarget
        let route: AccountRoute
        let authorization: Authorization
        let origin: AuditOrigin
        let peer: String?
        let context: DashboardContext?
        let frame: PageFrame

        var isPost: Bool { request.method == .post }

        /// Runs work and cancels it when the client leaves, if the connection is known.
        func whileConnected<Value: Sendable>(
            _ work: @escaping @Sendable () async throws -> Value
        ) async throws -> Value {
            guard let context else { return try await work() }
            return try await context.whileConnected(work)
        }
    }

    func respond(
        to request: Request, _ target: RequestTarget, _ route: AccountRoute, _ authentication: Authentication,
        from origin: RequestOrigin, peer: String?, on context: DashboardContext? = nil
    ) async -> Response {
        let text = request.head.path ?? ""
        // Read changes that this user made on another server a moment ago.
        await directory.lookUp()
        var response: Response
        do {
            try check(request, route)
            let authorization = try authorization(authentication, route)
            let visit = Visit(
                request: request, target: target, route: route, authorization: authorization, origin: origin.audit,
                peer: peer, context: context, frame: frame(request, text, authorization))
            try await admit(visit)
            response = try await answer(visit)
        } catch {
            response = self.response(to: error, request, text, route)
        }
        SecurityHeaders.add(
            to: &response.headers, isPage: response.headers[.contentType]?.hasPrefix("text/html") ?? false)
        // Responses that identify a user are never cacheable.
        response.headers[.cacheControl] = "private, no-store"
        return request.method == .head ? response.head() : response
    }

    private func check(_ request: Request, _ route: AccountRoute) throws(Problem) {
        if let problem = dashboard.check.problem(with: request.head) { throw problem }
        guard route.methods.contains(request.method) else { throw .methodNotAllowed(route.methods) }
        guard ![.get, .head].contains(request.method) else { return }
        // Browsers state a request's origin; a request with a cookie must.
        guard
            CrossSiteCheck.allows(
                request.headers, authority: request.head.authority, isEncrypted: request.head.scheme == "https",
                isByCookie: CrossSiteCheck.isByCookie(request.headers))
        else { throw .crossSite }
        if request.isEncoded { throw .encodedBody }
    }

    /// Returns the sender; routes that require no right treat an invalid token as anonymous.
    private func authorization(
        _ authentication: Authentication, _ route: AccountRoute
    ) throws(Problem) -> Authorization {
        switch authentication {
        case .authorized(let authorization):
            if let duty = authorization.principal.duty, !route.serves(duty) { throw .required(duty) }
            return authorization
        case .refused(let refusal):
            guard route.requirement == .nothing, case .invalidToken = refusal else { throw Problem(refusal) }
            return directory.control.authorize(.anonymous)
        }
    }

    private func admit(_ visit: Visit) async throws(Problem) {
        let permissions = visit.authorization.permissions
        let isAllowed =
            switch visit.route.requirement {
            case .nothing: true
            case .anything(let verb): permissions.allowsAnywhere(verb) && permissions.run == nil
            case .everything(let verb): permissions.allowsEverywhere(verb)
            // An invisible run is refused like a missing one.
            case .run: try await isAdmitted(visit)
            case .operation, .store, .feed, .reporting: false
            }
        guard !isAllowed else { return }
        directory.audit.record(
            .administer, by: visit.authorization.principal, from: visit.origin, subject: "server", outcome: .refused)
        throw visit.authorization.isAnonymous ? .unauthenticated : .forbidden
    }

    private func answer(_ visit: Visit) async throws(Problem) -> Response {
        switch visit.route {
        case .signIn: return try await signIn(visit)
        case .signInCode: return try await signInCode(visit)
        case .providerStart: return try await startProvider(visit)
        case .providerReturn: return try await endProvider(visit)
        case .signOut: return try await signOut(visit)
        case .setUp: return try await setUp(visit)
        case .account: return account(visit)
        case .accountPassword: return try await ownPassword(visit)
        case .accountSecondFactor: return try await ownSecondFactor(visit)
        case .passwordLink(let text): return try await passwordLink(text, visit)
        case .apiAccount: return try .json(facts(visit))
        case .apiAccountPassword: return try await apiOwnPassword(visit)
        case .providerSignOut: return try await endProviderSessions(visit)
        case .users, .userRoles, .userPassword, .userRemoval, .userEnding, .userInvitation, .userLink,
            .userLinkRevocation, .userPasswordChange, .userSecondFactor:
            return try await users(visit)
        case .apiPeople, .apiPerson: return try await apiPeople(visit)
        case .sessions, .sessionEnding, .apiSessions, .apiSession: return try await sessions(visit)
        case .allLinks, .linkRevocation, .apiLinks, .apiLink: return try await allLinks(visit)
        case .apiUsers, .apiUser, .apiUserRoles, .apiUserPassword, .apiUserInvitation, .apiUserLink,
            .apiUserPasswordChange, .apiUserSecondFactor, .apiGrants:
            return try await apiUsers(visit)
        case .tokens, .tokenRevocation: return try await tokens(visit)
        case .apiTokens, .apiToken: return try await apiTokens(visit)
        case .audit: return try await audit(visit)
        case .auditExport: return try await exportAudit(visit)
        case .apiAudit: return try await apiAudit(visit)
        case .link(let text): return try await openLink(text, visit)
        case .runLinks(let run): return try await links(to: run, visit)
        case .runLinkRevocation(let run, let link):
            try await change { try await revoke(link, to: run, visit) }
            return .seeOther(dashboard.mount.url("runs/\(run)/links"))
        case .apiRunLinks(let run): return try await apiLinks(to: run, visit)
        case .apiRunLink(let run, let link):
            try await change { try await revoke(link, to: run, visit) }
            return Response(status: .noContent)
        }
    }

    // MARK: Parts of several

    func page(_ page: AccountPage, _ visit: Visit, status: HTTPResponse.Status = .ok) -> Response {
        .page(dashboard.renderer.account(page, frame: visit.frame), status: status)
    }

    func form(_ visit: Visit) async throws(Problem) -> FormFields {
        guard ContentType(visit.request.headers[.contentType])?.isForm == true else {
            throw .unsupportedMediaType(accepted: "application/x-www-form-urlencoded")
        }
        return try FormFields(body: await bytes(visit))
    }

    func json(_ visit: Visit) async throws(Problem) -> JSONValue {
        guard ContentType(visit.request.headers[.contentType])?.isJSON == true else {
            throw .unsupportedMediaType(accepted: "application/json")
        }
        let value = try JSONValue(body: await bytes(visit))
        guard value.object != nil else { throw .malformedBody("The body must be a JSON object.") }
        return value
    }

    private func bytes(_ visit: Visit) async throws(Problem) -> ByteBuffer {
        do {
            return try await visit.request.body.collect(upTo: 32_768)
        } catch {
            throw .malformedBody("The body is larger than 32 kB, or did not arrive.")
        }
    }

    /// Runs a change of the directory and converts its errors to problems.
    func change<Result>(_ body: () async throws -> Result) async throws(Problem) -> Result {
        do { return try await body() } catch { throw .ofChange(error) }
    }

    func session(_ visit: Visit) -> SecretText? { directory.cookie.secret(in: visit.request.headers[values: .cookie]) }

    var roles: [String] { directory.control.rules.roles.keys.sorted() }

    private func frame(_ request: Request, _ text: String, _ authorization: Authorization) -> PageFrame {
        var frame = PageFrame(locale: locale(of: request), path: text)
        frame.account = accounts.header(authorization)
        return frame
    }

    private func locale(of request: Request) -> PageLocale {
        dashboard.renderer.locale(
            choice: request.cookies[Languages.cookie]?.value, acceptLanguage: request.headers[.acceptLanguage])
    }

    private func response(
        to problem: Problem, _ request: Request, _ text: String, _ route: AccountRoute
    ) -> Response {
        if let response = signInRedirect(for: problem.status, request, text) { return response }
        let locale = locale(of: request)
        let isPage = !route.isForPrograms && request.headers[.accept]?.contains("text/html") == true
        var response =
            isPage
            ? problem.page(by: dashboard.renderer, PageFrame(locale: locale, path: text))
            : problem.document(at: text, by: dashboard.renderer, in: locale)
        for field in problem.headers { response.headers.append(field) }
        if problem.closes { response.headers[.connection] = "close" }
        return response
    }

    /// Redirects a browser to the form for what its user must do first; nil for other requests.
    func dutyRedirect(_ request: Request, _ authentication: Authentication) -> Response? {
        guard let duty = authentication.authorization?.principal.duty, request.asksForPage,
            let target = try? RequestTarget(request.head.path ?? "", mount: dashboard.mount),
            case let route = AccountRoute(target.segments), route?.serves(duty) != true,
            !(route?.isForPrograms ?? Route(target.segments)?.isForPrograms ?? false)
        else { return nil }
        let form = duty == .changePassword ? "password" : "second-factor"
        return .seeOther(dashboard.mount.url("account/\(form)?back=\(PercentEncoding.encode(target.text))"))
    }

    /// Redirects a browser that requested a page without being signed in; nil for other requests.
    func signInRedirect(for status: HTTPResponse.Status, _ request: Request, _ text: String) -> Response? {
        guard status == .unauthorized, accounts.canSignIn, request.asksForPage, request.headers[.authorization] == nil
        else { return nil }
        if directory.awaitsSetUp { return .seeOther(dashboard.mount.url("setup")) }
        return .seeOther(dashboard.mount.url("sign-in?back=\(PercentEncoding.encode(text))"))
    }
}

extension Request {
    fileprivate var asksForPage: Bool {
        [.get, .head].contains(method) && headers[.accept]?.contains("text/html") == true
    }
}

extension Accounts {
    /// The account in the header of pages, or nil if authentication is off.
    func header(_ authorization: Authorization) -> PageAccount? {
        guard canSignIn || authorization.principal.kind == .person else { return nil }
        var account = PageAccount(name: authorization.isAnonymous ? nil : authorization.principal.name)
        account.audience = authorization.audience.label
        // Only cookie-based credentials can be signed out here.
        account.canSignOut =
            switch authorization.credential {
            case .session, .link: true
            case .request, .named, .token: false
            }
        return account
    }
}

extension Problem {
    init(_ error: AccessError) {
        let (kind, status, title): (String, HTTPResponse.Status, String) =
            switch error.kind {
            case .invalid: ("invalid-input", .unprocessableContent, "Cannot be used")
            case .missing: ("not-found", .notFound, "Not found")
            case .conflict: ("conflict", .conflict, "Not possible now")
            case .wrong: ("forbidden", .forbidden, "Not allowed")
            case .throttled: ("too-many-attempts", .tooManyRequests, "Too many attempts")
            case .unavailable: ("unavailable", .serviceUnavailable, "Not possible now")
            }
        self.init(kind, status, title, error.message)
        if let seconds = error.seconds { headers[.retryAfter] = String(seconds) }
    }
}

extension Problem {
    static func ofChange(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let error as AccessError: Problem(error)
        default: .internalError
        }
    }
}
