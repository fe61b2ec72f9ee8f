import HTTPTypes
import Hummingbird
import Logging
import WeirAccess
import WeirPages
import WeirStates
import WeirStores

extension AccountResponder {
    func signIn(_ visit: Visit) async throws(Problem) -> Response {
        guard accounts.canSignIn else { throw .noSuchPage }
        if directory.awaitsSetUp { return .seeOther(dashboard.mount.url("setup")) }
        var form = SignInForm()
        form.takesPassword = directory.configuration.mode == .password
        form.hasProvider = accounts.provider != nil
        guard visit.isPost else {
            form.back = visit.target.query["back"] ?? ""
            if case .session = visit.authorization.credential, visit.authorization.permissions.allowsAnywhere(.see) {
                return .seeOther(dashboard.mount.wayBack(form.back))
            }
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
        let mark = directory.cookie.browser(in: visit.request.headers[values: .cookie])
        let store = Store(
            SignInReducer { [directory] name, password in
                try await directory.signIn(name, password, from: origin, replacing: old, mark: mark)
            })
        store.dispatch(.nameChanged(form.name))
        await store.dispatch(.signIn(password: sent["password"] ?? "")).settled()
        switch store.effectMailbox.next() {
        case .enter(let secret, let name): return enter(secret, as: name, to: form.back)
        case .askCode(let step): return askCode(step, back: form.back)
        case nil: break
        }
        form.name = store.currentState.name
        let mistake = store.currentState.mistake ?? .busy
        form.mistake = mistake
        return refused(mistake, .signIn(form), visit)
    }

    /// The answer to a failed attempt to sign in.
    func refused(_ mistake: SignInForm.Mistake, _ form: AccountPage, _ visit: Visit) -> Response {
        var status = HTTPResponse.Status.unprocessableContent
        var wait: Int64?
        switch mistake {
        case .tooMany(let seconds): (status, wait) = (.tooManyRequests, seconds)
        case .busy: (status, wait) = (.serviceUnavailable, 5)
        case .plain: status = .forbidden
        case .wrong, .expired, .provider: break
        }
        var response = page(form, visit, status: status)
        if let wait { response.headers[.retryAfter] = String(wait) }
        return response
    }

    /// Sets the cookies of a new session and redirects the browser; with a name, marks it as one in which the user has signed in.
    func enter(_ secret: SecretText, as name: String? = nil, to back: String) -> Response {
        var response = Response.seeOther(dashboard.mount.wayBack(back))
        response.headers[values: .setCookie] = cookies(of: secret, as: name)
        return response
    }

    func cookies(of secret: SecretText, as name: String?) -> [String] {
        let mark = name.flatMap(directory.browserMark).map(directory.cookie.browserField)
        // The session replaces a link opened earlier.
        return [mark].compactMap { $0 } + [directory.cookie.linkClearing, directory.cookie.field(secret)]
    }

    func signOut(_ visit: Visit) async throws(Problem) -> Response {
        let secret = session(visit)
        try await change { try await directory.signOut(secret, from: visit.origin) }
        var response = Response.seeOther(dashboard.mount.url(accounts.canSignIn ? "sign-in?signed-out=yes" : ""))
        response.headers[values: .setCookie] = [directory.cookie.clearing, directory.cookie.linkClearing]
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }

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
    static let plainConnection = Problem(
        "plain-connection", .forbidden, "Not encrypted",
        .plainConnection,
        closes: true)
}

extension HTTPField.Name {
    static let forwardedFor = account("X-Forwarded-For")
    static let clearSiteData = account("Clear-Site-Data")

    private static func account(_ name: String) -> HTTPField.Name {
        // Never traps: the names are the literals above, and none is input.
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
        return name
    }
}

extension AccountResponder {
    func startProvider(_ visit: Visit) async throws(Problem) -> Response {
        guard let provider = accounts.provider else { throw .noSuchPage }
        do throws(IdentityProviderError) {
            let (url, secret) = try await provider.begin(back: visit.target.query["back"] ?? "")
            var response = Response.seeOther(url)
            response.headers[values: .setCookie] = [directory.cookie.passing(secret)]
            return response
        } catch {
            return failed(error, visit)
        }
    }

    func endProvider(_ visit: Visit) async throws(Problem) -> Response {
        guard let provider = accounts.provider else { throw .noSuchPage }
        do {
            let fields = visit.target.query.fields
            guard Set(fields.map(\.name)).count == fields.count else {
                throw IdentityProviderError(.failed, "A parameter came twice.")
            }
            let secret = directory.cookie.passed(in: visit.request.headers[values: .cookie])
            let signIn = try await visit.whileConnected {
                try await provider.complete(visit.target.query.dictionary, secret: secret, from: visit.origin.address)
            }
            try requireRole(signIn)
            let session = try await directory.begin(
                signIn.person, from: visit.origin, replacing: session(visit), providerSession: signIn.session)
            var response = enter(session, to: signIn.back)
            response.headers[values: .setCookie].append(directory.cookie.passingOver)
            return response
        } catch let error as IdentityProviderError {
            return failed(error, visit)
        } catch let error as AccessError {
            throw Problem(error)
        } catch {
            throw .internalError
        }
    }

    /// Refuses a sign-in without groups if no other grant gives the user a role: they would see nothing, without a reason.
    private func requireRole(_ signIn: ProviderSignIn) throws(IdentityProviderError) {
        guard !signIn.hasGroups else { return }
        guard !directory.control.authorize(signIn.person.principal).permissions.allowsAnywhere(.see) else { return }
        throw IdentityProviderError(
            .groups, "The provider named no groups of \(signIn.person.identity), who has no role by another grant.")
    }

    private func failed(_ error: IdentityProviderError, _ visit: Visit) -> Response {
        // Stale returns can be triggered by anyone and are logged at debug level; other errors concern the operator.
        dashboard.logger.log(
            level: error.kind == .stale ? .debug : .warning,
            "A sign-in through the identity provider failed.", metadata: ["cause": "\(Quoted(error))"])
        directory.audit.record(
            .signIn, by: .anonymous, from: visit.origin, outcome: .refused, detail: "identity provider")
        var form = SignInForm()
        (form.takesPassword, form.hasProvider, form.mistake) = (false, true, .provider(error.kind))
        let status: HTTPResponse.Status =
            [.unreachable, .busy].contains(error.kind) ? .serviceUnavailable : .forbidden
        return page(.signIn(form), visit, status: status)
    }
}

/// The sign-in as a store, after the login of *A Redux implementation for Kotlin Multiplatform*.
///
/// The store is loading while the password is checked. The outcome is either a state with the form's mistake, or an effect that
/// enters the session. One store serves one submitted form. No state is recorded or contains the password.
struct SignInReducer: Reducer {
    struct State: Equatable {
        var name = ""
        var isLoading = false
        var mistake: SignInForm.Mistake?
    }

    enum Action {
        case codeAsked(step: String)
        case nameChanged(String)
        case signIn(password: String)
        case cancel
        case signedIn(SecretText, name: String)
        case failed(SignInForm.Mistake)
    }

    enum Effect {
        case enter(SecretText, name: String)
        case askCode(step: String)
    }

    typealias Accounts = @Sendable (_ name: String, _ password: String) async throws -> SignInOutcome

    let accounts: Accounts
    let initialState = State()

    func reduce(_ action: Action, _ state: State, _ dispatch: Dispatcher<Action>) -> Reduced<State, Effect> {
        var next = state
        switch action {
        case .nameChanged(let name):
            next.name = name
            next.mistake = nil
        case .signIn(let password):
            next.isLoading = true
            next.mistake = nil
            dispatch.run(id: "sign-in", cancelInFlight: true) { [accounts] dispatch in
                do {
                    switch try await accounts(state.name, password) {
                    case .signedIn(let secret, let principal):
                        dispatch(.signedIn(secret, name: principal.identity))
                    case .asksCode(let step): dispatch(.codeAsked(step: step))
                    case let failure: dispatch(.failed(SignInForm.Mistake(failure) ?? .busy))
                    }
                } catch {
                    dispatch(.failed(.busy))
                }
            }
        case .cancel:
            next.isLoading = false
            dispatch.cancel(id: "sign-in")
        case .signedIn(let secret, let name):
            return Reduced(State(), .enter(secret, name: name))
        case .codeAsked(let step):
            return Reduced(State(), .askCode(step: step))
        case .failed(let mistake):
            next.isLoading = false
            next.mistake = mistake
        }
        return Reduced(next)
    }
}
