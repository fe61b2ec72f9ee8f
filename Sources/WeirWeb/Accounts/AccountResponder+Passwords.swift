import HTTPTypes
import Hummingbird
import WeirAccess
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

/// Passwords that people choose themselves: their own, the first one, and the one after a forgotten one.
extension AccountResponder {
    /// Whether the sender is a local user who has signed in.
    func hasPassword(_ visit: Visit) -> Bool {
        guard directory.configuration.mode == .password, case .session = visit.authorization.credential else {
            return false
        }
        return true
    }

    func ownPassword(_ visit: Visit) async throws(Problem) -> Response {
        guard hasPassword(visit) else {
            throw visit.authorization.isAnonymous && accounts.canSignIn ? .unauthenticated : .noSuchPage
        }
        let principal = visit.authorization.principal
        var form = NewPasswordForm(name: principal.identity, action: dashboard.mount.url("account/password"))
        form.isDemanded = principal.mustChangePassword
        form.back = visit.target.query["back"] ?? ""
        guard visit.isPost else { return page(.newPassword(form), visit) }
        guard directory.takesPasswords(from: visit.peer) else { throw .plainConnection }
        let sent = try await self.form(visit)
        do {
            let secret = try await changePassword(from: sent["current"], to: sent["password"], visit)
            return enter(secret, as: principal.identity, to: sent["back"] ?? dashboard.mount.url("account"))
        } catch let error as AccessError {
            let status = Problem(error).status
            guard let back = sent["back"] else { return account(visit, error: error.message, status: status) }
            (form.back, form.error) = (back, error.message)
            return page(.newPassword(form), visit, status: status)
        } catch {
            throw .internalError
        }
    }

    /// Changes the sender's own password; the cookies of the answer are those of the new session.
    func apiOwnPassword(_ visit: Visit) async throws(Problem) -> Response {
        guard directory.configuration.mode == .password else { throw .noSuchPage }
        guard hasPassword(visit) else {
            throw visit.authorization.isAnonymous ? .unauthenticated : Problem(AccessError(.wrong, .peopleOnly))
        }
        guard directory.takesPasswords(from: visit.peer) else { throw .plainConnection }
        let sent = try await json(visit)
        let secret = try await change {
            try Self.check(sent, has: ["current", "password"])
            return try await changePassword(from: sent["current"]?.string, to: sent["password"]?.string, visit)
        }
        var response = Response(status: .noContent)
        response.headers[values: .setCookie] = cookies(of: secret, as: visit.authorization.principal.identity)
        return response
    }

    private func changePassword(
        from current: String?, to password: String?, _ visit: Visit
    ) async throws -> SecretText {
        try await directory.changePassword(
            of: visit.authorization.principal.identity, from: current ?? "", to: password ?? "", origin: visit.origin,
            mark: directory.cookie.browser(in: visit.request.headers[values: .cookie]), during: session(visit))
    }

    /// The page on which the holder of a link chooses a password; the link is its credential.
    func passwordLink(_ text: String, _ visit: Visit) async throws(Problem) -> Response {
        guard directory.configuration.mode == .password else { throw .noSuchPage }
        let name = try await change { try directory.userOfPasswordLink(text, from: visit.origin) }
        var form = NewPasswordForm(name: name, action: dashboard.mount.url("password/\(text)"))
        form.asksCurrent = false
        guard visit.isPost else { return page(.newPassword(form), visit) }
        guard directory.takesPasswords(from: visit.peer) else { throw .plainConnection }
        let sent = try await self.form(visit)
        do {
            let (outcome, name) = try await directory.setPassword(
                sent["password"] ?? "", byLink: text, from: visit.origin, replacing: session(visit))
            return switch outcome {
            case .signedIn(let secret, _): enter(secret, as: name, to: dashboard.mount.url(""))
            case .asksCode(let step): askCode(step, back: "")
            case .wrong, .expired, .throttled, .busy: throw AccessError(.missing, .unknownPasswordLink)
            }
        } catch let error as AccessError {
            guard error.kind == .invalid else { throw Problem(error) }
            form.error = error.message
            return page(.newPassword(form), visit, status: Problem(error).status)
        } catch {
            throw .internalError
        }
    }

    // MARK: Links

    /// The receiver of a letter with a link; nil for an empty address.
    func receiver(_ typed: String?) throws(AccessError) -> MailAddress? {
        guard let typed, !typed.isEmpty else { return nil }
        guard accounts.mailer != nil else { throw AccessError(.invalid, .noMail) }
        guard let address = MailAddress(typed) else {
            throw AccessError(.invalid, .mailAddress, ["address": "\(typed.prefix(254))"])
        }
        return address
    }

    /// The full URL of a link, and why the letter with it was not taken, or nil if it was taken or has no receiver.
    func handOver(
        _ link: MadePasswordLink, to receiver: MailAddress?, _ visit: Visit
    ) async -> (url: String, fault: String?) {
        let server = accounts.address(host: visit.request.head.authority)
        let url = server + dashboard.mount.url("password/\(link.secret.text)")
        guard let receiver, let mailer = accounts.mailer else { return (url, nil) }
        let letter = link.letter(url: url, server: server + dashboard.mount.prefix) {
            dashboard.renderer.text(of: $0, locale: visit.frame.locale)
        }
        return (url, await mailer(receiver, letter.subject, letter.text))
    }

    /// Makes a link as a program asks, and sends it to the address, if one is given.
    func apiLink(
        _ visit: Visit, has known: [String],
        _ make: (_ sent: JSONValue, _ hours: Int, _ mail: String?) async throws -> MadePasswordLink
    ) async throws(Problem) -> Response {
        let sent = try await json(visit)
        let address: MailAddress? = try await change {
            try Self.check(sent, has: known)
            return try receiver(try Self.text("mail", in: sent))
        }
        let link: MadePasswordLink = try await change {
            try await make(sent, try Self.hours(in: sent), address?.description)
        }
        let (url, fault) = await handOver(link, to: address, visit)
        var members: [String: JSONValue] = [
            "name": .string(link.name), "url": .string(url),
            "expires": .string(Timestamp(milliseconds: link.expiresAt).description),
            "mailed": .bool(address != nil && fault == nil),
        ]
        members["mailProblem"] = fault.map(JSONValue.string)
        return try .json(.object(members), status: .created)
    }

    private static func text(_ key: String, in sent: JSONValue) throws(AccessError) -> String? {
        guard let value = sent[key] else { return nil }
        guard let text = value.string else { throw AccessError(.invalid, "Send \(key) as a text.") }
        return text
    }

    /// The hours for which a link is valid; without the member, the standard.
    private static func hours(in sent: JSONValue) throws(AccessError) -> Int {
        guard let value = sent["hours"] else { return AccessDirectory.passwordLinkStandard }
        guard let hours = value.integer.flatMap({ Int(exactly: $0) }) else {
            throw AccessError(.invalid, .passwordLinkHours)
        }
        return hours
    }
}
