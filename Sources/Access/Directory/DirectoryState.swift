import Crypto
import Foundation
import States

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
    /// Sessions and tokens whose last use is not stored yet.
    var used: Set<String> = []
    var usedTokens: Set<String> = []
    /// Entries of the audit that commands left, by their ids, and those of them that are on their way into it.
    var leftEntries: [String: AuditEntry] = [:]
    var takenOver: Set<String> = []
    var instance = "" {
        didSet { cookie = SessionCookie(isSecure: cookie.isSecure, instance: instance) }
    }
    /// The cookie in which browsers keep their session.
    private(set) var cookie: SessionCookie
    /// What sessions may do, by the digests of their secrets: as long as nothing has changed, a poll needs no more.
    private var authorizations: [SHA256Digest: (authorization: Authorization, until: Int64)] = [:]
    var version: Int64?
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

    /// Takes what is stored in place of what was known.
    ///
    /// Records that cannot be read are left out and counted.
    mutating func take(_ records: [StoredRecord], now: Int64) -> Int {
        var unreadable = 0
        func decode<Value: Decodable>(_ record: StoredRecord) -> Value? {
            do {
                return try JSONDecoder().decode(Value.self, from: record.json)
            } catch {
                unreadable += 1
                return nil
            }
        }
        (users, tokens, links, leftEntries, views) = ([:], [:], [:], [:], [:])
        var stored: [SessionRecord] = []
        for record in records {
            switch StoredKind(rawValue: record.kind) {
            case .user: if let user: UserRecord = decode(record) { users[user.name] = user }
            case .token: if let token: TokenRecord = decode(record) { tokens[token.id] = token }
            case .link: if let link: LinkRecord = decode(record) { links[link.id] = link }
            case .session: if let session: SessionRecord = decode(record) { stored.append(session) }
            case .views: if let text: String = decode(record) { views[record.id] = text }
            case .setting where record.id == "instance": instance = decode(record) ?? instance
            case .setting: break
            case .audit:
                let json: JSONValue? = decode(record)
                if let entry = json.flatMap(AuditEntry.init) { leftEntries[record.id] = entry }
            case nil: unreadable += 1
            }
        }
        sessions.take(stored, now: now)
        index()
        return unreadable
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
