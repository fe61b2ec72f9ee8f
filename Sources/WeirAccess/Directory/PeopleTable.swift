/// The people that an identity provider or a proxy has named, by identity, up to a limit.
struct PeopleTable: Sendable {
    /// At the limit, the half that was named least recently is removed.
    static let limit = 20_000

    private var records: [String: PersonRecord] = [:]

    subscript(identity: String) -> PersonRecord? { records[identity] }

    var all: [PersonRecord] { Array(records.values) }

    /// Adds or updates a person, unless a later naming is known; returns whether a known person's name or groups changed.
    mutating func name(_ record: PersonRecord) -> Bool {
        let identity = record.person.identity
        let known = records[identity]
        guard known.map({ $0.namedAt <= record.namedAt }) ?? true else { return false }
        if known == nil, records.count >= Self.limit { halve() }
        records[identity] = record
        return known.map { $0.person != record.person } ?? false
    }

    mutating func remove(_ identity: String) -> Bool { records.removeValue(forKey: identity) != nil }

    mutating func removeAll() { records = [:] }

    private mutating func halve() {
        let kept = records.values.sorted { $0.namedAt > $1.namedAt }.prefix(Self.limit / 2)
        records = Dictionary(kept.map { ($0.person.identity, $0) }) { first, _ in first }
    }
}

extension StoredPerson {
    /// A local user.
    init(user name: String) { self.init(name: name, identity: name, isUser: true, groups: []) }

    /// The principal with the groups last named by the identity source.
    var principal: Principal {
        Principal(.person, name: ReservedName.person(name), identity: identity, groups: Set(groups))
    }
}
