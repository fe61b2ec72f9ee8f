import Crypto
import WeirStates

/// All that is known of users, tokens, links and sessions, in memory.
struct DirectoryState: Sendable {
    var users: [String: UserRecord] = [:]
    var tokens: [String: TokenRecord] = [:]
    var tokenIDs: [String: String] = [:]
    var links: [String: LinkRecord] = [:]
    var linkIDs: [String: String] = [:]
    var sessions: SessionTable
    var throttle: SignInThrottle
    var setUp: SetUpCode?
    /// The people that a proxy or provider has named, as they were named last.
    var people: [String: StoredPerson] = [:]
    /// The views of the list of runs that people have saved, as texts, by the keys of their principals.
    var views: [String: String] = [:]
    /// Sessions that have ended and may still be stored.
    var ended: Set<String> = []
    /// Sessions and tokens whose last use is not stored yet.
    var used: Set<String> = []
    var usedTokens: Set<String> = []
    /// Entries of the audit that commands left, by their ids, and those of them that are on their way into it.
    var leftEntries: [String: AuditEntry] = [:]
    var takenOver: Set<String> = []
    var instance = "" {
        didSet { cookie = SessionCookie(isSecure: cookie.isSecure, instance: instance) }
    }
    /// What sign-ins that are under way at a provider are sealed with; empty where none is asked.
    var signInKey = ""
    /// What the audit had come to when that was stored last; empty where it is not.
    var auditHead = ""
    /// The cookie in which browsers keep their session.
    private(set) var cookie: SessionCookie
    /// What sessions may do, by the digests of their secrets: as long as nothing has changed, a poll needs no more.
    private var authorizations: [SHA256Digest: (authorization: Authorization, until: Int64)] = [:]
    /// Up to where the storage was read; nil before it was.
    var version: Int64?
    /// What the storage fails at, as far as was noticed.
    var failing: Set<StorageUse> = []
    /// When it was last looked whether something has expired.
    var lookedAt = Int64.max

    init(_ configuration: AccessConfiguration) {
        sessions = SessionTable(configuration.sessions)
        throttle = SignInThrottle(configuration.throttle)
        cookie = SessionCookie(isSecure: configuration.isSecure, instance: "")
    }

    /// What the session of a secret may do, if that is known of this generation and there is nothing to note of it.
    func authorization(of secret: SHA256Digest, in generation: UInt64, now: Int64) -> Authorization? {
        guard let known = authorizations[secret], known.authorization.generation == generation, now < known.until else {
            return nil
        }
        return known.authorization
    }

    /// Keeps what the session of a secret may do.
    mutating func keep(_ authorization: Authorization, of secret: SHA256Digest, until: Int64) {
        if authorizations.count >= 10_000 { authorizations = [:] }
        authorizations[secret] = (authorization, until)
    }

    mutating func index() {
        tokenIDs = Dictionary(tokens.values.map { ($0.hash, $0.id) }) { $1 }
        linkIDs = Dictionary(links.values.map { ($0.hash, $0.id) }) { $1 }
    }

    /// A person as they are now; nil when it is a user that was removed.
    func principal(of person: StoredPerson) -> Principal? {
        if person.isUser { return users[person.identity]?.principal }
        let latest = people[person.identity] ?? person
        return Principal(
            .person, name: latest.name, identity: latest.identity, groups: Set(latest.groups))
    }
}
