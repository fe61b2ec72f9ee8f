package import Foundation

/// What kinds of records are stored.
package enum StoredKind: String, Sendable {
    case user, token, link, session, setting
    /// What a person has saved of the list of runs, by the person's key.
    case views
    /// An entry of the audit that a command left for the server, which alone writes the audit.
    case audit
}

/// What a record is found by.
package struct StoredKey: Hashable, Sendable {
    package let kind: String
    package let id: String

    package init(kind: String, id: String) { (self.kind, self.id) = (kind, id) }
}

/// A record as it is stored.
package struct StoredRecord: Hashable, Sendable {
    package let key: StoredKey
    package let json: Data

    package var kind: String { key.kind }
    package var id: String { key.id }

    package init(_ key: StoredKey, json: Data) { (self.key, self.json) = (key, json) }

    package init(kind: String, id: String, json: Data) { self.init(StoredKey(kind: kind, id: id), json: json) }
}

/// A change of the stored records.
package enum StoredChange: Sendable {
    /// Puts a record in place of the one of that kind and id.
    case put(StoredRecord)
    /// Puts a record in place of the one of that kind and id; nothing if there is none any more.
    case update(StoredRecord)
    /// Removes a record, if there is one.
    case remove(StoredKey)

    /// What is changed.
    package var key: StoredKey {
        switch self {
        case .put(let record), .update(let record): record.key
        case .remove(let key): key
        }
    }

    /// What it is afterwards; nil for what is removed.
    package var record: StoredRecord? {
        switch self {
        case .put(let record), .update(let record): record
        case .remove: nil
        }
    }

    /// Whether nothing happens where there is no such record.
    package var isUpdate: Bool {
        if case .update = self { true } else { false }
    }

    package static func remove(kind: StoredKind, id: String) -> StoredChange {
        .remove(StoredKey(kind: kind.rawValue, id: id))
    }

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
