package import WeirJournals

/// Records and reads deletions of runs; see `PostgresSchema`.
struct DeletionTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Hides a run and its steps, and records their deletions, within a transaction that holds the lock.
    ///
    /// A call that is repeated after a lost connection returns the deletion that it recorded.
    func delete(_ run: String, by actor: String, at now: Timestamp) throws -> RunDeletionOutcome {
        let family = try RunFamily(of: run, member: member, steps: steps)
        if let refusal = family.refusal {
            guard refusal == .unknown, let known = try deletion(of: run), known.at == now, known.actor == actor else {
                return refusal
            }
            return .deleted(try recorded(with: known))
        }
        let head = try connection.first("SELECT head FROM weir.journal") { try $0.sequence(0) }
        guard let head else { throw JournalError.damaged("the sequence of the last change") }
        guard head.distance(to: .max) >= family.members.count else { throw JournalError.noPlaceLeft }
        try connection.rows(
            """
            INSERT INTO weir.names (name) SELECT $1 WHERE NOT EXISTS (
                SELECT FROM weir.names n WHERE sha256(n.name) = sha256($1))
            """, [AnyText(actor)]
        ) { _ in }
        var added: [RunDeletion] = []
        for member in family.members {
            added.append(
                RunDeletion(
                    sequence: (added.last?.sequence ?? head).next, run: member.id, operation: member.operation,
                    at: now, actor: actor))
        }
        try connection.rows(
            """
            INSERT INTO weir.deletions (sequence, opened, changes, run, operation, at, actor)
                SELECT $1 + t.i, t.opened, t.changes, r.id, r.operation, $4, n.id
                FROM unnest($2, $3) WITH ORDINALITY AS t(opened, changes, i)
                JOIN weir.runs r ON r.opened = t.opened JOIN weir.names n ON sha256(n.name) = sha256($5)
            """,
            [
                head.rawValue, family.members.map(\.opened.rawValue), family.members.map(\.changes), now.milliseconds,
                AnyText(actor),
            ]
        ) { _ in }
        try connection.rows("SELECT weir.conceal($1)", [family.members.map(\.opened.rawValue)]) { _ in }
        try connection.rows(
            """
            INSERT INTO weir.floors AS f (operation, sequence)
                SELECT d.operation, max(d.sequence) FROM weir.deletions d WHERE d.sequence > $1 GROUP BY d.operation
                UNION ALL SELECT 0, max(d.sequence) FROM weir.deletions d WHERE d.sequence > $1
                ON CONFLICT (operation) DO UPDATE SET sequence = greatest(f.sequence, excluded.sequence)
            """, [head.rawValue]
        ) { _ in }
        try connection.rows(
            "UPDATE weir.journal SET head = $1", [(added.last?.sequence ?? head).rawValue]
        ) { _ in }
        return .deleted(added)
    }

    func deletions(after: SequenceNumber, through last: SequenceNumber, limit: Int) throws -> [RunDeletion] {
        try connection.all(
            "\(Self.query) WHERE d.sequence > $1 AND d.sequence <= $2 ORDER BY d.sequence LIMIT $3",
            [after.rawValue, last.rawValue, max(0, limit)]
        ) { try $0.deletion() }
    }

    func deletion(of run: String) throws -> RunDeletion? {
        try connection.first(
            """
            \(Self.query) WHERE d.run = $1 AND NOT EXISTS (SELECT FROM weir.runs r WHERE r.id = $1)
            ORDER BY d.sequence DESC LIMIT 1
            """, [AnyText(run)]
        ) { try $0.deletion() }
    }

    /// The deletions of one call, which have consecutive sequences, one time and one actor.
    private func recorded(with first: RunDeletion) throws -> [RunDeletion] {
        let all = try connection.all(
            "\(Self.query) WHERE d.sequence >= $1 AND d.at = $2 ORDER BY d.sequence",
            [first.sequence.rawValue, first.at.milliseconds]
        ) { try $0.deletion() }
        var found: [RunDeletion] = []
        for deletion in all
        where deletion.actor == first.actor && deletion.sequence == (found.last?.sequence.next ?? first.sequence) {
            found.append(deletion)
        }
        return found
    }

    private static let query = """
        SELECT \(JournalColumns.deletion)
        FROM weir.deletions d JOIN weir.names o ON o.id = d.operation JOIN weir.names a ON a.id = d.actor
        """

    private func member(_ run: String) throws -> RunFamily.Member? {
        try members("r.id = $1", [AnyText(run)]).first
    }

    private func steps(of run: String) throws -> [RunFamily.Member] {
        let keys = RunOpening.stepKeys(of: run)
        // The next character after the space at the end of a beginning is an exclamation mark.
        return try members(
            """
            substring(r.idempotency_key FROM 1 FOR 5) = 'step '::bytea
                AND r.idempotency_key >= $1 AND r.idempotency_key < $2
            """, [AnyText(keys), AnyText(String(keys.dropLast()) + "!")])
    }

    private func members(_ condition: String, _ values: [any PostgresValue]) throws -> [RunFamily.Member] {
        try connection.all(
            """
            SELECT \(JournalColumns.familyMember(importing: "weir.importing"))
            FROM weir.runs r JOIN weir.names o ON o.id = r.operation WHERE \(condition) ORDER BY r.opened
            """, values
        ) { try $0.familyMember() }
    }
}

extension PostgresJournal {
    package func delete(_ runs: [String], by actor: String, at now: Timestamp) async throws -> [RunDeletionOutcome] {
        let session = try writing()
        try session.check()
        let outcomes = try await writer.run { connection in
            try connection.transaction {
                try connection.rows("SELECT weir.enter($1)", [session.fence]) { _ in }
                return try runs.map { try DeletionTable(connection).delete($0, by: actor, at: now) }
            }
        }
        guard let end = outcomes.flatMap(\.deletions).map(\.sequence).max() else { return outcomes }
        session.advanced(to: end)
        pulse?.ring()
        return outcomes
    }

    package func finishDeletion() async throws { try await sweep() }

    package func deletions(after: SequenceNumber, through last: SequenceNumber, limit: Int) async throws
        -> [RunDeletion]
    {
        try await read { try DeletionTable($0).deletions(after: after, through: last, limit: limit) }
    }

    package func deletion(of run: String) async throws -> RunDeletion? {
        try await read { try DeletionTable($0).deletion(of: run) }
    }

    package func pruned(of topic: Topic) async throws -> SequenceNumber {
        try await read { connection in
            let subject: Int64?
            switch topic {
            case .board: subject = 0
            case .operation(let name): subject = try Names(connection).number(of: name)
            case .run, .store, .output: return try FloorReader(connection).floor(of: topic)
            }
            return try subject.map { try FloorReader(connection).floor(ofSubject: -1 - $0) } ?? .zero
        }
    }
}

/// Reads the floors of topics; see `JournalSchema`.
struct FloorReader {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    func floor(of topic: Topic) throws -> SequenceNumber {
        switch topic {
        case .board: return try floor(ofSubject: 0)
        case .operation(let name): return try Names(connection).number(of: name).map(floor(ofSubject:)) ?? .zero
        case .run(let id): return try RunReader(connection).run(id) == nil ? floor(ofSubject: 0) : .zero
        case .store(let id):
            return try connection.first("SELECT floor FROM weir.stores WHERE id = $1", [AnyText(id)]) {
                try $0.sequence(0)
            } ?? .zero
        case .output: return .zero
        }
    }

    func floor(ofSubject number: Int64) throws -> SequenceNumber {
        try connection.first("SELECT sequence FROM weir.floors WHERE operation = $1", [number]) {
            try $0.sequence(0)
        } ?? .zero
    }
}
