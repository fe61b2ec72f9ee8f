/// The people that an identity provider or a proxy has named, by identity, up to a limit.
struct PeopleTable: Sendable {
    /// At the limit, the half that was named least recently is removed, here and, by the directory, from the storage.
    private let limit: Int

    private var records: [String: PersonRecord] = [:]
    /// The people removed at the limit who are still stored.
    private(set) var dropped: Set<String> = []

    init(limit: Int = 20_000) { self.limit = limit }

    subscript(identity: String) -> PersonRecord? { records[identity] }

    var all: [PersonRecord] { Array(records.values) }

    /// Adds or updates a person; returns whether a known person's name or groups changed.
    ///
    /// Does not compare times: after a clock was set back, the latest naming has an earlier one.
    mutating func name(_ record: PersonRecord) -> Bool {
        let identity = record.person.identity
        let known = records[identity]
        if known == nil, records.count >= limit { halve() }
        records[identity] = record
        dropped.remove(identity)
        return known.map { $0.person != record.person } ?? false
    }

    mutating func remove(_ identity: String) -> Bool {
        dropped.remove(identity)
        return records.removeValue(forKey: identity) != nil
    }

    mutating func removeAll() { (records, dropped) = ([:], []) }

    private mutating func halve() {
        let kept = records.values.sorted { $0.namedAt > $1.namedAt }.prefix(limit / 2)
        let all = records.keys
        records = Dictionary(kept.map { ($0.person.identity, $0) }) { first, _ in first }
        dropped.formUnion(all.filter { records[$0] == nil })
    }
}

extension StoredPerson {
    /// A local user.
    init(user name: String) { self.init(name: name, identity: name, isUser: true, groups: []) }

    /// The principal with the groups last named by the identity source.
    package var principal: Principal {
        Principal(.person, name: ReservedName.person(name), identity: identity, groups: Set(groups))
    }
}
