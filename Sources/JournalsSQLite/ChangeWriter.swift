import GRDB
import Journals
import States

/// Adds changes within one transaction: each change at once, what follows from them once at the end.
///
/// It reads where the journal stands from the file and keeps nothing beyond its transaction, so that one that is undone
/// leaves no trace.
final class ChangeWriter {
    private let database: Database
    private let insert: SQLStatement
    /// When what is written is imported; nil for what happens here.
    private let importedAt: Timestamp?
    private var head: Int64
    private var names: NameTable
    private var streams: [StreamID: StreamState] = [:]

    init(_ database: Database, importedAt: Timestamp? = nil) throws {
        self.database = database
        self.importedAt = importedAt
        names = NameTable(database)
        head = try SQLStatement(database, "SELECT head FROM journal").first { $0.integer(0) } ?? 0
        insert = try SQLStatement(
            database,
            """
            INSERT INTO changes (sequence, stream, revision, operation, at, "case", phase, transition, done, total, unit,
                payload, cause, origin, step)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
    }

    /// Writes a change and gives it its sequence.
    ///
    /// Throws when it does not follow its stream's last.
    func add(_ draft: ChangeDraft, origin: ChangeOrigin? = nil) throws -> Change {
        let known = try streams[draft.stream] ?? stored(draft.stream)
        try draft.check(follows: known.map { (revision: $0.revision, subject: $0.subject) })
        head += 1
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

    /// Brings everything that follows from the changes up to date.
    ///
    /// Nothing may be added afterwards.
    func finish() throws {
        var runs = RunTable(database)
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

    /// The stream as the tables have it, remembered for the changes that follow.
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
                    stored: row.integer(0), subject: row.text(1), operation: row.integer(2), revision: row.integer(3),
                    sequence: row.integer(4), phase: phase,
                    ended: row.optionalInteger(6).map(Timestamp.init(milliseconds:)), isIndexed: row.integer(7) == 1)
            }
        case .store(let id):
            try SQLStatement(database, "SELECT opened, subject, revision FROM stores WHERE id = ?").first(id) { row in
                StreamState(
                    stored: row.integer(0), subject: row.text(1), operation: nil, revision: row.integer(2),
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
