import Crypto
import Foundation
import WeirStates

struct DirectoryState: Sendable {
    var users: [String: UserRecord] = [:]
    var accounts: [String: AccountRecord] = [:]
    var factors: [String: SecondFactorRecord] = [:]
    var tokens: [String: TokenRecord] = [:]
    var tokenIDs: [String: String] = [:]
    var links: [String: LinkRecord] = [:]
    var linkIDs: [String: String] = [:]
    var sessions: SessionTable
    var throttle: SignInThrottle
    var setUp: SetUpCode?
    /// The people named by a proxy or provider, with their latest data, by identity.
    var people = PeopleTable()
    var views: [String: String] = [:]
    var presets: [String: String] = [:]
    /// Ended sessions whose removal is not stored yet.
    var ended: Set<String> = []
    /// Sessions and tokens whose last use is not stored yet.
    var used: Set<String> = []
    var usedTokens: Set<String> = []
    /// People whose latest data is not stored yet.
    var namedPeople: Set<String> = []
    /// Audit entries left by commands, by id, and the ids being written.
    var leftEntries: [String: AuditEntry] = [:]
    var takenOver: Set<String> = []
    var instance = "" {
        didSet { cookie = SessionCookie(isSecure: cookie.isSecure, instance: instance) }
    }
    /// The key that seals pending sign-ins at a provider; empty without one.
    var signInKey = ""
    /// The key that signs what browsers keep: the marks of known ones, and the state of a sign-in or set-up of a second factor.
    var browserKey = ""
    /// The stored head of the audit; empty if it is not stored.
    var auditHead = ""
    private(set) var cookie: SessionCookie
    /// How long tokens and links keep the rights of a person that no identity source names again, in milliseconds.
    private let lease: Int64
    /// A cache of the sessions' authorizations, by digest of the secret; serves polls while nothing changes.
    private var authorizations: [SHA256Digest: (authorization: Authorization, until: Int64)] = [:]
    /// The version up to which the storage was read; nil before the first read.
    var version: Int64?
    var failing: Set<StorageUse> = []
    /// The time of the last expiry check.
    var lookedAt = Int64.max

    init(_ configuration: AccessConfiguration) {
        sessions = SessionTable(configuration.sessions)
        throttle = SignInThrottle(configuration.throttle)
        cookie = SessionCookie(isSecure: configuration.isSecure, instance: "")
        lease = configuration.lease
    }

    /// The cached authorization of a session, if it belongs to the generation and no use of the session is due to be recorded.
    func authorization(of secret: SHA256Digest, in generation: UInt64, now: Int64) -> Authorization? {
        guard let known = authorizations[secret], known.authorization.generation == generation, now < known.until else {
            return nil
        }
        return known.authorization
    }

    mutating func keep(_ authorization: Authorization, of secret: SHA256Digest, until: Int64) {
        if authorizations.count >= 10_000 { authorizations = [:] }
        authorizations[secret] = (authorization, until)
    }

    mutating func index() {
        tokenIDs = Dictionary(tokens.values.map { ($0.hash, $0.id) }) { $1 }
        linkIDs = Dictionary(links.values.map { ($0.hash, $0.id) }) { $1 }
    }

    /// Whether a user was invited and has no password yet.
    func isInvited(_ user: UserRecord) -> Bool { accounts[user.name]?.invitedAt == user.changedAt }

    /// Returns whether a user's password must be changed before anything else.
    func mustChangePassword(_ user: UserRecord) -> Bool { accounts[user.name]?.changeDemandedAt == user.changedAt }

    /// The user whose password a link sets; nil if the link is unknown, used, expired, or older than a change of the user.
    func user(ofPasswordLink hash: String, now: Int64) -> UserRecord? {
        for account in accounts.values where account.link?.hash == hash {
            guard let user = users[account.name], let link = account.link else { continue }
            return link.isValid(for: user, now: now) ? user : nil
        }
        return nil
    }

    /// The principal of a local user's session; nil for a removed user.
    func principal(ofUser name: String) -> Principal? {
        guard let user = users[name] else { return nil }
        var principal = user.principal
        principal.duty = mustChangePassword(user) ? .changePassword : nil
        return principal
    }

    /// The current principal of the maker of a token or link; nil for a removed user, and for a person whose lease has ended.
    func principal(of maker: StoredPerson, now: Int64) -> Principal? {
        if maker.isUser { return users[maker.identity]?.principal }
        // A naming that is as far in the future is from a clock that was wrong.
        guard let named = people[maker.identity], (now &- named.namedAt).magnitude < lease.magnitude else { return nil }
        return named.person.principal
    }

    /// The people beyond the limit, and those who were last named before a time and have no tokens, links or sessions.
    func forgottenPeople(before time: Int64) -> [String] {
        let old = people.all.filter { $0.namedAt < time }.map(\.person.identity)
        guard !old.isEmpty else { return Array(people.dropped) }
        let makers = tokens.values.map(\.maker) + links.values.map(\.maker) + sessions.sessions.values.map(\.person)
        let active = Set(makers.compactMap { $0?.key })
        return people.dropped + old.filter { !active.contains(PersonKey(isUser: false, identity: $0)) }
    }

    /// The end of the lease of a maker's rights; nil for local users, and for people that no identity source has named.
    func leaseEnd(of maker: StoredPerson) -> Int64? {
        guard !maker.isUser, let named = people[maker.identity]?.namedAt else { return nil }
        let (end, isTooLate) = named.addingReportingOverflow(lease)
        return isTooLate ? .max : end
    }
}

struct NewsTaken {
    /// The number of records that could not be decoded and were ignored.
    var unreadable = 0
    /// Whether the permissions of a known principal may have changed.
    var changesRights = false
    var losesUsers = false
}

extension DirectoryState {
    /// Applies changes of other processes; ignores and counts records that cannot be decoded.
    mutating func take(_ news: StoredNews) -> NewsTaken {
        var taken = NewsTaken()
        let hadUsers = !users.isEmpty
        version = news.version
        if news.isWhole {
            taken.changesRights = true
            (users, tokens, links, leftEntries) = ([:], [:], [:], [:])
            (views, presets, accounts, factors) = ([:], [:], [:], [:])
            people.removeAll()
            let kept = Set(news.records.lazy.filter { $0.kind == StoredKind.session.rawValue }.map(\.id))
            _ = sessions.end { !kept.contains($0.hash) }
        }
        for key in news.removed where remove(key) { taken.changesRights = true }
        var begun: [SessionRecord] = []
        for record in news.records {
            do {
                if try put(record, &begun) { taken.changesRights = true }
            } catch {
                taken.unreadable += 1
            }
        }
        for session in begun.sorted(by: { $0.begunAt > $1.begunAt }) { take(session) }
        index()
        taken.losesUsers = hadUsers && users.isEmpty
        return taken
    }

    /// Removes a record; returns whether a principal may lose permissions.
    private mutating func remove(_ key: StoredKey) -> Bool {
        switch StoredKind(rawValue: key.kind) {
        case .user: users.removeValue(forKey: key.id) != nil
        case .token: tokens.removeValue(forKey: key.id) != nil
        case .link: links.removeValue(forKey: key.id) != nil
        case .session: !sessions.end { $0.hash == key.id }.isEmpty
        case .person: people.remove(key.id)
        case .views: (views.removeValue(forKey: key.id), false).1
        case .presets: (presets.removeValue(forKey: key.id), false).1
        case .account: accounts.removeValue(forKey: key.id) != nil
        case .secondFactor: factors.removeValue(forKey: key.id) != nil
        case .audit: (leftEntries.removeValue(forKey: key.id), false).1
        case .setting, nil: false
        }
    }

    /// Stores a record, or appends a session to `begun`; returns whether permissions may change.
    private mutating func put(_ record: StoredRecord, _ begun: inout [SessionRecord]) throws -> Bool {
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(json: record.json) }
        switch StoredKind(rawValue: record.kind) {
        case .user:
            let user = try decode(UserRecord.self)
            return users.updateValue(user, forKey: user.name) != user
        case .token:
            var token = try decode(TokenRecord.self)
            guard let known = tokens.updateValue(token, forKey: token.id) else { return false }
            token.usedOn = known.usedOn
            return token != known
        case .link:
            let link = try decode(LinkRecord.self)
            return links.updateValue(link, forKey: link.id).map { $0 != link } ?? false
        case .session: begun.append(try decode(SessionRecord.self))
        case .person:
            let person = try decode(PersonRecord.self)
            let identity = person.person.identity
            if let own = people[identity], namedPeople.contains(identity) {
                // Another server's naming replaces one that is not stored yet if it is later and its clock is plausible.
                let lead = person.namedAt.subtractingReportingOverflow(own.namedAt).partialValue
                guard lead > 0, lead < lease else { return false }
                namedPeople.remove(identity)
            }
            return people.name(person)
        case .views: views[record.id] = try decode(String.self)
        case .presets: presets[record.id] = try decode(String.self)
        case .account:
            let account = try decode(AccountRecord.self)
            return accounts.updateValue(account, forKey: account.name) != account
        case .secondFactor:
            let factor: SecondFactorRecord
            do {
                factor = try decode(SecondFactorRecord.self)
            } catch {
                // Without a record, the password alone would sign in. No code is right until an administrator removes the record.
                factors[record.id] = .unreadable(of: record.id)
                throw error
            }
            return factors.updateValue(factor, forKey: factor.name)?.since != factor.since
        case .setting:
            switch DirectorySetting(rawValue: record.id) {
            case .instance: instance = try decode(String.self)
            case .signInKey: signInKey = try decode(String.self)
            case .browserKey: browserKey = try decode(String.self)
            case .auditHead: auditHead = try decode(String.self)
            case nil: break
            }
        case .audit: leftEntries[record.id] = AuditEntry(try decode(JSONValue.self))
        case nil: throw CocoaError(.coderInvalidValue)
        }
        return false
    }

    /// Stores a session of another server, and its person if there is no record of the person: earlier versions stored none.
    private mutating func take(_ session: SessionRecord) {
        sessions.put(session)
        guard !session.person.isUser, people[session.person.identity] == nil else { return }
        _ = people.name(PersonRecord(person: session.person, namedAt: session.begunAt))
    }
}

/// The settings shared by the servers on one storage.
enum DirectorySetting: String {
    /// The suffix of their cookies' names.
    case instance
    /// The key that seals pending sign-ins at an identity provider.
    case signInKey = "sign-in-key"
    /// The key that signs the cookies of known browsers.
    case browserKey = "browser-key"
    /// The head of the audit, if only one server uses the storage.
    case auditHead = "audit-head"
}
