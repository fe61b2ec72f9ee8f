import HTTPTypes
import Hummingbird
import Logging
import WeirAccess
import WeirPages
import WeirStates
import WeirStores

extension AccountResponder {
    /// The form to sign in, and what comes of sending it.
    func signIn(_ visit: Visit) async throws(Problem) -> Response {
        guard accounts.canSignIn else { throw .noSuchPage }
        if directory.awaitsSetUp { return .seeOther(dashboard.mount.url("setup")) }
        var form = SignInForm()
        form.takesPassword = directory.configuration.mode == .password
        form.hasProvider = accounts.provider != nil
        guard visit.isPost else {
            form.back = visit.target.query["back"] ?? ""
            if !visit.authorization.isAnonymous { form.refused = visit.authorization.principal.name }
            if visit.authorization.isAnonymous, visit.target.query["signed-out"] != nil {
                form.isSignedOut = true
                form.signOutURL = await accounts.provider?.signOutURL()
            }
            return page(.signIn(form), visit)
        }
        guard form.takesPassword else { throw .methodNotAllowed([.get, .head]) }
        let sent = try await self.form(visit)
        form.back = sent["back"] ?? ""
        form.name = sent["name"] ?? ""
        guard directory.takesPasswords(from: visit.peer) else {
            form.mistake = .plain
            return page(.signIn(form), visit, status: .forbidden)
        }
        let (origin, old) = (visit.origin, session(visit))
        let store = Store(
            SignInReducer { [directory] name, password in
                try await directory.signIn(name, password, from: origin, replacing: old)
            })
        store.dispatch(.nameChanged(form.name))
        await store.dispatch(.signIn(password: sent["password"] ?? "")).settled()
        if case .enter(let secret)? = store.effectMailbox.next() { return enter(secret, to: form.back) }
        form.name = store.currentState.name
        form.mistake = store.currentState.mistake ?? .busy
        var status = HTTPResponse.Status.unprocessableContent
        var wait: Int64?
        switch form.mistake {
        case .tooMany(let seconds): (status, wait) = (.tooManyRequests, seconds)
        case .busy: (status, wait) = (.serviceUnavailable, 5)
        case .plain: status = .forbidden
        case .wrong, .provider, nil: break
        }
        var response = page(.signIn(form), visit, status: status)
        if let wait { response.headers[.retryAfter] = String(wait) }
        return response
    }

    /// Sends the browser on with its new session.
    func enter(_ secret: SecretText, to back: String) -> Response {
        var response = Response.seeOther(dashboard.mount.wayBack(back))
        // Whoever opened a link before is somebody now.
        response.headers[values: .setCookie] = [directory.cookie.linkClearing, directory.cookie.field(secret)]
        return response
    }

    /// Ends the browser's session.
    func signOut(_ visit: Visit) async throws(Problem) -> Response {
        let secret = session(visit)
        try await change { try await directory.signOut(secret, from: visit.origin) }
        var response = Response.seeOther(dashboard.mount.url(accounts.canSignIn ? "sign-in?signed-out=yes" : ""))
        response.headers[values: .setCookie] = [directory.cookie.clearing, directory.cookie.linkClearing]
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }

    /// The form for the first user, and what comes of sending it.
    func setUp(_ visit: Visit) async throws(Problem) -> Response {
        guard directory.awaitsSetUp else { throw .noSuchPage }
        var form = SetUpForm()
        guard visit.isPost else { return page(.setUp(form), visit) }
        guard directory.takesPasswords(from: visit.peer) else { throw .plainConnection }
        let sent = try await self.form(visit)
        form.name = sent["name"] ?? ""
        do {
            let secret = try await directory.setUp(
                code: sent["code"] ?? "", name: form.name, password: sent["password"] ?? "", from: visit.origin)
            return enter(secret, to: "")
        } catch let error as AccessError {
            form.error = error.message
            return page(.setUp(form), visit, status: Problem(error).status)
        } catch {
            throw .internalError
        }
    }
}

extension Problem {
    /// A password came over a connection that others can read.
    static let plainConnection = Problem(
        "plain-connection", .forbidden, "Not encrypted",
        .plainConnection,
        closes: true)
}

extension HTTPField.Name {
    static let forwardedFor = account("X-Forwarded-For")
    static let clearSiteData = account("Clear-Site-Data")

    private static func account(_ name: String) -> HTTPField.Name {
        // Never traps: the names stand above, and none comes from outside.
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
        return name
    }
}
