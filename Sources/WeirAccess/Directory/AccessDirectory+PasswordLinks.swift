import Synchronization
import WeirFlows
import WeirJournals
package import WeirStates

/// A new link with which a person sets the password of an account; its secret is not stored.
package struct MadePasswordLink: Sendable {
    package let name: String
    package let secret: SecretText
    package let expiresAt: Int64
    /// Whether the account was made together with the link.
    let isInvitation: Bool

    /// A letter with the link; `say` translates its sentences.
    package func letter(url: String, server: String, _ say: (Message) -> String) -> (subject: String, text: String) {
        let time = Timestamp(milliseconds: expiresAt).description.prefix(16).replacing("T", with: " ")
        let values: [String: Message.Value] = ["server": .text(server), "name": .text(name), "time": "\(time) UTC"]
        func said(_ wording: AccessWording) -> String { say(Message(wording, values)) }
        let subject = said(isInvitation ? .invitationSubject : .resetSubject)
        let lines = [said(isInvitation ? .invitationLetter : .resetLetter), url, said(.letterEnd)]
        return (subject, lines.joined(separator: "\n\n") + "\n")
    }
}

extension AccessDirectory {
    /// The hours for which a link can be valid.
    static let passwordLinkHours = 1...720
    package static let passwordLinkStandard = 72

    /// The name under which the throttle counts attempts with links; no user can have it.
    private static let throttled = "password link"

    /// Adds a user without a password, and makes the link with which the person sets the first one.
    package func invite(
        _ name: String, roles: [StoredAssignment], hours: Int, mail: String? = nil, by principal: Principal,
        from origin: AuditOrigin = .none
    ) async throws -> MadePasswordLink {
        let name = try newName(name)
        try check(roles)
        try requireNew(name)
        let time = now()
        let noPassword = PasswordHash(ofNoPassword: configuration.cost, random: random).description
        let user = UserRecord(name: name, password: noPassword, roles: roles, createdAt: time, changedAt: time)
        let added = entry(.addUser, by: principal, from: origin, "user:\(name)", "roles: \(roles.words); invited")
        return try await change { [self] in
            try requireNew(name)
            return try await makeLink(for: user, adding: added, hours: hours, mail, by: principal, from: origin)
        }
    }

    /// Makes a link with which a user sets a new password; an earlier link ends.
    ///
    /// The current password stays valid until the link is used.
    package func makePasswordLink(
        of name: String, hours: Int, mail: String? = nil, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws -> MadePasswordLink {
        try await change { [self] in
            try await makeLink(for: try user(name), hours: hours, mail, by: principal, from: origin)
        }
    }

    private func makeLink(
        for user: UserRecord, adding added: AuditEntry? = nil, hours: Int, _ mail: String?, by principal: Principal,
        from origin: AuditOrigin
    ) async throws -> MadePasswordLink {
        guard Self.passwordLinkHours.contains(hours) else { throw AccessError(.invalid, .passwordLinkHours) }
        let secret = SecretText(.password, bytes: random(32))
        let end = now() + Int64(hours) * 3_600_000
        let link = PasswordLink(hash: secret.hash, edition: user.edition, expiresAt: end)
        let words = "a link for \(hours) hours\(mail.map { ", mailed to \($0)" } ?? "")"
        let (changes, entries) = (added == nil ? [] : [try StoredChange.put(user)], [added].compactMap { $0 })
        try await put(link, of: user, changes, entries, words, by: principal, from: origin)
        if added != nil {
            state.withLock { $0.users[user.name] = user }
            control.invalidate()
        }
        return MadePasswordLink(name: user.name, secret: secret, expiresAt: end, isInvitation: added != nil)
    }

    /// Ends the link to set a user's password, if there is one.
    package func revokePasswordLink(
        of name: String, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws {
        try await change { [self] in
            let user = try user(name)
            guard state.withLock({ $0.accounts[user.name]?.link != nil }) else { return }
            try await put(nil, of: user, [], [], "none", by: principal, from: origin)
        }
    }

    private func put(
        _ link: PasswordLink?, of user: UserRecord, _ changes: [StoredChange], _ entries: [AuditEntry], _ words: String,
        by principal: Principal, from origin: AuditOrigin
    ) async throws {
        // Of a new user, an earlier version may have left the account of a removed one with this name.
        var account =
            changes.isEmpty ? account(of: user.name) : AccountRecord(name: user.name, invitedAt: user.changedAt)
        account.link = link
        let stored = account
        let before = passwordLinkEnd(of: user) == nil ? "none" : "a link"
        let made = entry(
            .passwordLink, by: principal, from: origin, "user:\(user.name)", "before: \(before); after: \(words)")
        try await write(changes + [stored.change], entries + [made])
        state.withLock { $0.accounts[user.name] = stored }
    }

    private func account(of name: String) -> AccountRecord {
        state.withLock { $0.accounts[name] } ?? AccountRecord(name: name)
    }

    /// The end of the valid link to set a user's password; nil without one.
    package func passwordLinkEnd(of user: UserRecord) -> Int64? {
        let time = now()
        let link = state.withLock { $0.accounts[user.name]?.link }
        return link.flatMap { $0.isValid(for: user, now: time) ? $0.expiresAt : nil }
    }

    // MARK: Use

    /// The name of the user whose password a link sets.
    ///
    /// - Throws: The same `AccessError` for every link that is not valid. Attempts are limited as sign-ins are.
    package func userOfPasswordLink(_ text: String, from origin: AuditOrigin) throws -> String {
        let (address, time) = (origin.address ?? "", now())
        let hash = SecretText(text, kind: .password)?.hash
        let (user, wait) = state.withLock { state -> (UserRecord?, Int64?) in
            if let wait = state.throttle.attempt(Self.throttled, from: address, now: time) { return (nil, wait) }
            let user = hash.flatMap { state.user(ofPasswordLink: $0, now: time) }
            if user != nil { state.throttle.succeed(Self.throttled, from: address) }
            return (user, nil)
        }
        if let user { return user.name }
        audit.record(
            .changePassword, by: .anonymous, from: origin, outcome: .refused,
            detail: wait == nil ? "unknown link" : "too many attempts")
        throw wait.map { AccessError(after: $0) } ?? AccessError(.missing, .unknownPasswordLink)
    }

    /// Sets the password by a link, ends the link and the user's other sessions, and begins a session.
    ///
    /// A user with a second factor gets no session before the code.
    ///
    /// - Throws: `AccessError` if the link is not valid, the password is refused, or the storage fails.
    package func setPassword(
        _ password: String, byLink text: String, from origin: AuditOrigin, replacing old: SecretText?
    ) async throws -> (outcome: SignInOutcome, name: String) {
        let name = try userOfPasswordLink(text, from: origin)
        if let problem = PasswordRule.problem(with: password, of: name) { throw AccessError(.invalid, problem) }
        if try await isDemandedChange(of: name, from: password) { throw AccessError(.invalid, .samePassword) }
        let hash = try await hash(password)
        let link = SecretText.hash(of: text)
        try await change { [self] in
            // Read again: the link may have been used or revoked during hashing.
            let time = now()
            guard let user = state.withLock({ $0.user(ofPasswordLink: link, now: time) }) else {
                throw AccessError(.missing, .unknownPasswordLink)
            }
            try await put(hash, of: user, by: user.principal, from: origin, "by a link; ")
        }
        let stored = hash.description
        let changed = try user(name)
        guard secondFactor(of: changed) == nil else { return (.asksCode(step(for: changed)), name) }
        let secret = try await begin(
            StoredPerson(user: name), from: origin, replacing: old,
            if: { $0.users[name]?.password == stored && $0.factor(of: changed) == nil })
        guard let secret else { throw AccessError(.missing, .unknownPasswordLink) }
        return (.signedIn(secret, changed.principal), name)
    }

    /// Whether a user must change a password that is the given one.
    private func isDemandedChange(of name: String, from password: String) async throws -> Bool {
        let user = try user(name)
        guard mustChangePassword(user), let current = PasswordHash(user.password) else { return false }
        do {
            return try await hashing.run { try current.matches(password) }
        } catch is WorkPool.Busy {
            throw AccessError(.unavailable, .busyHashing)
        }
    }

    // MARK: Forced change

    package func mustChangePassword(_ user: UserRecord) -> Bool { state.withLock { $0.mustChangePassword(user) } }

    /// Requires that a user changes the password before anything else, or withdraws this.
    package func requirePasswordChange(
        _ isRequired: Bool, of name: String, by principal: Principal, from origin: AuditOrigin = .none
    ) async throws {
        try await change { [self] in
            let user = try user(name)
            let before = mustChangePassword(user)
            guard before != isRequired else { return }
            var account = account(of: user.name)
            account.changeDemandedAt = isRequired ? user.changedAt : nil
            let stored = account
            func words(_ isRequired: Bool) -> String { isRequired ? "required" : "not required" }
            try await write(
                [stored.change],
                entry(
                    .requirePasswordChange, by: principal, from: origin, "user:\(user.name)",
                    "before: \(words(before)); after: \(words(isRequired))"))
            state.withLock { $0.accounts[user.name] = stored }
            control.invalidate()
        }
    }
}
