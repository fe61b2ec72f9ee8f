import GRDB
import WeirStates

/// Appends changes within one transaction: each change immediately, derived data once at the end.
///
/// It reads the head from the file and keeps no state beyond its transaction, so a rollback is complete.
final class ChangeWriter {
    private let database: Database
    private let insert: SQLStatement
    /// The time of the import; nil for changes of this journal.
    private let importedAt: Timestamp?
    private var head: SequenceNumber
    private var names: NameTable
    private var streams: [StreamID: StreamState] = [:]

    init(_ database: Database, importedAt: Timestamp? = nil) throws {
        self.database = database
        self.importedAt = importedAt
        names = NameTable(database)
        head = try SQLStatement(database, "SELECT head FROM journal").first { try $0.sequence(0) } ?? 0
        insert = try SQLStatement(
            database,
            """
            INSERT INTO changes (sequence, stream, revision, operation, at, "case", phase, transition, done, total, unit,
                payload, cause, origin, step)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
    }

    /// Writes a change and assigns its sequence; throws if it does not follow the last change of its stream.
    func add(_ draft: ChangeDraft, origin: ChangeOrigin? = nil) throws -> Change {
        let known = try streams[draft.stream] ?? stored(draft.stream)
        try draft.check(follows: known.map { (revision: $0.revision, subject: $0.subject) })
        guard head < .max else { throw JournalError.noPlaceLeft }
        head = head.next
        let change = Change(sequence: head, draft: draft, origin: origin)
        let stream = try known ?? opened(change)
        if known != nil { stream.apply(change) }
        let state = draft.state
        try insert.run(
            head, stream.opened, draft.revision, stream.operation, draft.at.milliseconds, state.caseName,
            JournalCode.code(of: state.phase), draft.isTransition, state.progress?.completed, state.progress?.total,
            (state.progress?.unit).map(JournalCode.code(of:)), try state.payload.text(), draft.cause, origin?.sequence,
            try draft.step?.json.text())
        return change
    }

    /// Updates the derived data; nothing may be added afterwards.
    func finish() throws {
        var runs = RunRows(database)
        for (id, stream) in streams.sorted(by: { $0.value.opened < $1.value.opened }) {
            switch id {
            case .store(let id): try writeStore(id, stream)
            case .run(let id): try runs.write(id, stream, actor: actor(of: stream), importedAt: importedAt)
            }
        }
        try runs.finish()
        try SQLStatement(database, "UPDATE journal SET head = ?").run(head)
    }

    // MARK: Streams

    private func opened(_ change: Change) throws -> StreamState {
        let operation: Int64? = if case .run = change.stream { try names.number(of: change.subject) } else { nil }
        let stream = StreamState(beginningWith: change, operation: operation)
        streams[change.stream] = stream
        return stream
    }

    /// The stored state of a stream, cached for its next change.
    private func stored(_ id: StreamID) throws -> StreamState? {
        let stream = try read(id)
        streams[id] = stream
        return stream
    }

    private func read(_ stream: StreamID) throws -> StreamState? {
        switch stream {
        case .run(let id):
            try SQLStatement(
                database,
                """
                SELECT r.opened, o.name, r.operation, r.revision, r.sequence, r.phase, r.ended, r.indexed
                FROM runs r JOIN names o ON o.id = r.operation WHERE r.id = ?
                """
            ).first(id) { row in
                let phase = try JournalCode.phase(row.integer(5))
                return StreamState(
                    stored: try row.sequence(0), subject: row.text(1), operation: row.integer(2),
                    revision: try row.revision(3),
                    sequence: try row.sequence(4), phase: phase,
                    ended: row.optionalInteger(6).map(Timestamp.init(milliseconds:)), isIndexed: row.integer(7) == 1)
            }
        case .store(let id):
            try SQLStatement(database, "SELECT opened, subject, revision FROM stores WHERE id = ?").first(id) { row in
                StreamState(
                    stored: try row.sequence(0), subject: row.text(1), operation: nil, revision: try row.revision(2),
                    sequence: 0, phase: .active, ended: nil, isIndexed: false)
            }
        }
    }

    private func actor(of stream: StreamState) throws -> Int64? {
        try stream.opening.map { try names.number(of: $0.actor) }
    }

    private func writeStore(_ id: String, _ stream: StreamState) throws {
        try SQLStatement(
            database,
            """
            INSERT INTO stores (opened, id, subject, revision) VALUES (?, ?, ?, ?)
            ON CONFLICT (opened) DO UPDATE SET revision = excluded.revision
            """
        ).run(stream.opened, id, stream.subject, stream.revision)
    }
}

/// The state of a stream while changes are added to it within one transaction.
///
/// It is a class, so that a change updates it without a copy.
final class StreamState {
    /// The sequence of the first change, which is the stream's number.
    let opened: SequenceNumber
    let subject: String
    /// The id of the operation's name; nil for a store.
    let operation: Int64?
    var revision: Int64
    var sequence: SequenceNumber
    var phase: Phase
    var ended: Timestamp?

    /// The phase in the table; nil for a new run.
    var storedPhase: Phase?
    /// The opening and start of a new run.
    var opening: RunOpening?
    var started: Timestamp?
    /// The epoch of the journal that a new run was imported from.
    var epoch: String?
    /// Whether the index contains its text, which is then outdated.
    var isIndexed = false

    init(
        stored opened: SequenceNumber, subject: String, operation: Int64?, revision: Int64, sequence: SequenceNumber,
        phase: Phase,
        ended: Timestamp?, isIndexed: Bool
    ) {
        self.opened = opened
        self.subject = subject
        self.operation = operation
        self.revision = revision
        self.sequence = sequence
        self.phase = phase
        self.ended = ended
        self.isIndexed = isIndexed
        storedPhase = phase
    }

    init(beginningWith change: Change, operation: Int64?) {
        opened = change.sequence
        subject = change.subject
        self.operation = operation
        revision = change.revision
        sequence = change.sequence
        phase = change.state.phase
        ended = change.state.phase.isEnded ? change.at : nil
        opening = change.draft.opening
        started = change.at
        epoch = change.origin?.epoch
    }

    func apply(_ change: Change) {
        revision = change.revision
        sequence = change.sequence
        phase = change.state.phase
        ended = change.state.phase.isEnded ? change.at : nil
    }
}

/// The ids of names, cached within a transaction.
struct NameTable {
    private let database: Database
    private var numbers: [String: Int64] = [:]

    init(_ database: Database) { self.database = database }

    /// The id of a name, which is added if it is new.
    mutating func number(of name: String) throws -> Int64 {
        if let number = numbers[name] { return number }
        let number = try Self.number(of: name, in: database) ?? add(name)
        numbers[name] = number
        return number
    }

    static func number(of name: String, in database: Database) throws -> Int64? {
        try SQLStatement(database, "SELECT id FROM names WHERE name = ?").first(name) { $0.integer(0) }
    }

    private func add(_ name: String) throws -> Int64 {
        try SQLStatement(database, "INSERT INTO names (name) VALUES (?)").run(name)
        return database.lastInsertedRowID
    }
}
