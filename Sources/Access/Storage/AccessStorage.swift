package import Foundation

/// Where users, tokens, links and sessions are kept: named records of JSON.
package protocol AccessStorage: Sendable {
    /// All records.
    func read() async throws -> [StoredRecord]
    /// Makes changes, all of them or none.
    func write(_ changes: [StoredChange]) async throws
    /// A number that differs from the one before when somebody else has changed something.
    func version() async throws -> Int64
}

/// What kinds of records are stored.
package enum StoredKind: String, Sendable {
    case user, token, link, session, setting
    /// What a person has saved of the list of runs, by the person's key.
    case views
    /// An entry of the audit that a command left for the server, which alone writes the audit.
    case audit
}

/// A record as it is stored.
package struct StoredRecord: Hashable, Sendable {
    package let kind: String
    package let id: String
    package let json: Data

    package init(kind: String, id: String, json: Data) {
        self.kind = kind
        self.id = id
        self.json = json
    }
}

/// A change of the stored records.
package enum StoredChange: Sendable {
    /// Puts a record in place of the one of that kind and id.
    case put(StoredRecord)
    /// Puts a record in place of the one of that kind and id; nothing if there is none any more.
    case update(StoredRecord)
    /// Removes a record, if there is one.
    case remove(kind: StoredKind, id: String)

    static func put(_ user: UserRecord) throws -> StoredChange { try put(.user, user.name, user) }
    static func put(_ token: TokenRecord) throws -> StoredChange { try put(.token, token.id, token) }
    static func put(_ link: LinkRecord) throws -> StoredChange { try put(.link, link.id, link) }
    static func put(_ session: SessionRecord) throws -> StoredChange { try put(.session, session.hash, session) }

    static func put(_ kind: StoredKind, _ id: String, _ value: some Encodable) throws -> StoredChange {
        .put(try record(kind, id, value))
    }

    static func update(_ user: UserRecord) throws -> StoredChange { .update(try record(.user, user.name, user)) }
    static func update(_ token: TokenRecord) throws -> StoredChange { .update(try record(.token, token.id, token)) }
    static func update(_ session: SessionRecord) throws -> StoredChange {
        .update(try record(.session, session.hash, session))
    }

    private static func record(_ kind: StoredKind, _ id: String, _ value: some Encodable) throws -> StoredRecord {
        StoredRecord(kind: kind.rawValue, id: id, json: try JSONEncoder().encode(value))
    }
}

/// Keeps records in memory: for tests, and for a server that keeps nothing.
package final class MemoryAccessStorage: AccessStorage {
    private let records = LockedRecords()

    package init() {}

    package func read() async throws -> [StoredRecord] { records.all }
    package func write(_ changes: [StoredChange]) async throws { records.apply(changes) }
    package func version() async throws -> Int64 { 0 }
}
