import Hummingbird
import WeirAccess
import WeirJournals
import WeirPages
import WeirStates

/// The second factor of a local user: the step of the sign-in that asks for a code, and the set-up.
extension AccountResponder {
    /// Sends the browser to the form for the code, and keeps the state of the sign-in in a cookie.
    func askCode(_ step: String, back: String) -> Response {
        let query = back.isEmpty ? "" : "?back=\(PercentEncoding.encode(back))"
        var response = Response.seeOther(dashboard.mount.url("sign-in/code\(query)"))
        response.headers[values: .setCookie] = [directory.cookie.stepField(step)]
        return response
    }

    private func mark(_ visit: Visit) -> String? {
        directory.cookie.browser(in: visit.request.headers[values: .cookie])
    }

    func signInCode(_ visit: Visit) async throws(Problem) -> Response {
        guard directory.configuration.mode == .password else { throw .noSuchPage }
        let step = directory.cookie.step(in: visit.request.headers[values: .cookie]) ?? ""
        var form = SignInCodeForm()
        guard visit.isPost else {
            form.back = visit.target.query["back"] ?? ""
            guard directory.isValid(step: step) else {
                return .seeOther(dashboard.mount.url("sign-in?back=\(PercentEncoding.encode(form.back))"))
            }
            return page(.signInCode(form), visit)
        }
        guard directory.takesPasswords(from: visit.peer) else { throw .plainConnection }
        let sent = try await self.form(visit)
        form.back = sent["back"] ?? ""
        let outcome: SignInOutcome
        do {
            outcome = try await directory.signIn(
                step: step, code: sent["code"] ?? "", from: visit.origin, replacing: session(visit), mark: mark(visit))
        } catch {
            outcome = .busy
        }
        if case .signedIn(let secret, let principal) = outcome {
            var response = enter(secret, as: principal.identity, to: form.back)
            response.headers[values: .setCookie].insert(directory.cookie.stepClearing, at: 0)
            return response
        }
        let mistake = SignInForm.Mistake(outcome) ?? .busy
        guard mistake == .expired else {
            form.mistake = mistake
            return refused(mistake, .signInCode(form), visit)
        }
        var first = SignInForm()
        (first.back, first.mistake) = (form.back, mistake)
        return refused(mistake, .signIn(first), visit)
    }

    func ownSecondFactor(_ visit: Visit) async throws(Problem) -> Response {
        guard hasPassword(visit), case .session(let session) = visit.authorization.credential else {
            throw visit.authorization.isAnonymous && accounts.canSignIn ? .unauthenticated : .noSuchPage
        }
        let principal = visit.authorization.principal
        var form = SecondFactorForm()
        form.isDemanded = principal.duty == .setUpSecondFactor
        form.back = visit.target.query["back"] ?? ""
        guard visit.isPost else { return secondFactor(form, session, visit) }
        guard directory.takesPasswords(from: visit.peer) else { throw .plainConnection }
        let sent = try await self.form(visit)
        form.back = sent["back"] ?? ""
        let (name, code, sealed) = (principal.identity, sent["code"] ?? "", sent["secret"] ?? "")
        do {
            switch sent["action"] {
            case "set-up":
                form.codes = try await directory.setUpSecondFactor(
                    sealed, code: code, password: sent["password"] ?? "", of: name, session: session,
                    from: visit.origin, mark: mark(visit))
            case "renew":
                form.codes = try await directory.renewRecoveryCodes(
                    of: name, code: code, from: visit.origin, mark: mark(visit), during: session)
            case "remove":
                try await directory.removeOwnSecondFactor(
                    of: name, code: code, from: visit.origin, mark: mark(visit), during: session)
                return .seeOther(dashboard.mount.url("account/second-factor"))
            default: throw AccessError(.invalid, "Send the action: set-up, renew or remove.")
            }
            return secondFactor(form, session, visit, status: .created)
        } catch let error as AccessError {
            form.error = error.message
            return secondFactor(form, session, visit, sealed: sealed, status: Problem(error).status)
        } catch {
            throw .internalError
        }
    }

    /// The page of the own second factor; without one, it offers the secret that the form had, or a new one.
    private func secondFactor(
        _ form: SecondFactorForm, _ session: String, _ visit: Visit, sealed: String = "",
        status: HTTPResponse.Status = .ok
    ) -> Response {
        var form = form
        let name = visit.authorization.principal.identity
        if let factor = directory.secondFactor(ofUser: name) {
            (form.since, form.left) = (Timestamp(milliseconds: factor.since), factor.recovery.count)
            // Only a page of this server: the address is in a link.
            form.back = form.back.isEmpty ? "" : dashboard.mount.wayBack(form.back)
        } else {
            let offer =
                directory.secondFactorOffer(sealed, to: name, session: session)
                ?? directory.offerSecondFactor(to: name, session: session)
            let server = accounts.address(host: visit.request.head.authority)
            let host = server.split(separator: "://", maxSplits: 1).last.map(String.init) ?? server
            form.offer = (offer.words, offer.uri(name: name, server: "Weir \(host)"), offer.sealed)
        }
        return page(.secondFactor(form), visit, status: status)
    }
}

extension SignInForm.Mistake {
    /// The mistake of an attempt to sign in, or nil if it succeeded or continues with a code.
    init?(_ outcome: SignInOutcome) {
        switch outcome {
        case .signedIn, .asksCode: return nil
        case .wrong: self = .wrong
        case .expired: self = .expired
        case .throttled(let wait): self = .tooMany(max(1, (wait + 999) / 1_000))
        case .busy: self = .busy
        }
    }
}
