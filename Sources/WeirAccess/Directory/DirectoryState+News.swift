import Foundation
import WeirStates

/// What a look at the storage has brought.
struct NewsTaken {
    /// How many records cannot be read, and have no effect.
    var unreadable = 0
    /// Whether somebody's rights may have changed who is known already.
    var changesRights = false
    /// Whether there were users, and are none any more.
    var losesUsers = false
}

extension DirectoryState {
    /// Takes in what others have changed.
    ///
    /// Records that cannot be read are left out and counted.
    mutating func take(_ news: StoredNews) -> NewsTaken {
        var taken = NewsTaken()
        let hadUsers = !users.isEmpty
        version = news.version
        if news.isWhole {
            taken.changesRights = true
            (users, tokens, links, leftEntries, views) = ([:], [:], [:], [:], [:])
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
        for session in begun.sorted(by: { $0.begunAt < $1.begunAt }) where take(session) { taken.changesRights = true }
        index()
        taken.losesUsers = hadUsers && users.isEmpty
        return taken
    }

    /// Removes what others have removed; returns whether somebody may have fewer rights without it.
    private mutating func remove(_ key: StoredKey) -> Bool {
        switch StoredKind(rawValue: key.kind) {
        case .user: users.removeValue(forKey: key.id) != nil
        case .token: tokens.removeValue(forKey: key.id) != nil
        case .link: links.removeValue(forKey: key.id) != nil
        case .session: !sessions.end { $0.hash == key.id }.isEmpty
        case .views: (views.removeValue(forKey: key.id), false).1
        case .audit: (leftEntries.removeValue(forKey: key.id), false).1
        case .setting, nil: false
        }
    }

    /// Puts what others have put, but for sessions, which go into `begun`; returns whether it changes anybody's rights.
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
        case .views: views[record.id] = try decode(String.self)
        case .setting:
            switch DirectorySetting(rawValue: record.id) {
            case .instance: instance = try decode(String.self)
            case .signInKey: signInKey = try decode(String.self)
            case .auditHead: auditHead = try decode(String.self)
            case nil: break
            }
        case .audit: leftEntries[record.id] = AuditEntry(try decode(JSONValue.self))
        case nil: throw CocoaError(.coderInvalidValue)
        }
        return false
    }

    /// Takes a session that was begun or used elsewhere, and who its person was said to be.
    private mutating func take(_ session: SessionRecord) -> Bool {
        let isNew = sessions.sessions[session.hash] == nil
        sessions.put(session)
        guard isNew, !session.person.isUser else { return false }
        let known = people.updateValue(session.person, forKey: session.person.identity)
        return known.map { $0 != session.person } ?? false
    }
}

/// What the servers of one storage have in common.
enum DirectorySetting: String {
    /// The mark of their cookies.
    case instance
    /// What sign-ins that are under way at an identity provider are sealed with.
    case signInKey = "sign-in-key"
    /// What the audit has come to, where only one server uses the storage.
    case auditHead = "audit-head"
}
