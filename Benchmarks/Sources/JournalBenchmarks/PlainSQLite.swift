import Foundation
import GRDBSQLite
import WeirJournals
import WeirStates

/// What a change is as a row, made ready beforehand.
struct PlainRow {
    let draft: ChangeDraft
    let stream: Int64
    let payload: String
    let input: String?

    init(_ draft: ChangeDraft) throws {
        self.draft = draft
        // The stream's number need not be right for the work to be the same: neighbours have neighbouring numbers.
        stream = if case .run(let id) = draft.stream { Int64(id.suffix(12)) ?? Self.number(of: id) } else { 0 }
        payload = try draft.state.payload.text()
        input = try draft.opening?.input.text()
    }

    private static func number(of id: String) -> Int64 {
        id.utf8.reduce(0) { ($0 &* 31 &+ Int64($1)) & 0xFFFF_FFFF }
    }
}

/// Inserts rows by SQLite's own functions: one transaction a batch, statements prepared once, WAL, nothing else.
final class PlainSQLite {
    private var connection: OpaquePointer?
    private var change: OpaquePointer?
    private var run: OpaquePointer?
    private var end: OpaquePointer?
    private var sequence: Int64 = 0
    private let bare: Bool

    init(path: String, bare: Bool) throws {
        self.bare = bare
        sqlite3_open(path, &connection)
        try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32000")
        if bare { try execute("DROP INDEX changes_of_stream; DROP INDEX changes_of_operation") }
        change = prepare(
            """
            INSERT INTO changes (sequence, stream, revision, operation, at, "case", phase, transition, done, total, unit,
                payload, cause, origin)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        run = prepare(
            """
            INSERT INTO runs (opened, id, operation, actor, input, phase, revision, sequence, started)
            VALUES (?, ?, ?, ?, ?, 1, 0, ?, ?)
            """)
        end = prepare(
            "UPDATE runs SET phase = 2, revision = ?, sequence = ?, ended = ?, ages_from = ? WHERE opened = ?")
    }

    deinit {
        for statement in [change, run, end] { sqlite3_finalize(statement) }
        sqlite3_close(connection)
    }

    func insert(_ rows: [PlainRow]) throws {
        try execute("BEGIN IMMEDIATE")
        for row in rows {
            sequence += 1
            try insertChange(row)
            if !bare { try insertRun(row) }
        }
        try execute("COMMIT")
    }

    private func insertChange(_ row: PlainRow) throws {
        let state = row.draft.state
        integers(change, 1, sequence, row.stream, row.draft.revision, row.stream % 12, row.draft.at.milliseconds)
        text(change, 6, state.caseName)
        integers(change, 7, state.phase == .active ? 1 : 2, row.draft.isTransition ? 1 : 0)
        if let progress = state.progress {
            integers(change, 9, progress.completed, progress.total ?? 0, 0)
        } else {
            for index in Int32(9)...11 { sqlite3_bind_null(change, index) }
        }
        text(change, 12, row.payload)
        try step(change)
    }

    private func insertRun(_ row: PlainRow) throws {
        if let input = row.input {
            integers(run, 1, row.stream)
            text(run, 2, row.draft.stream.description)
            integers(run, 3, row.stream % 12, row.stream % 50)
            text(run, 5, input)
            integers(run, 6, sequence, row.draft.at.milliseconds)
            try step(run)
        } else if row.draft.state.phase.isEnded {
            let at = row.draft.at.milliseconds
            integers(end, 1, row.draft.revision, sequence, at, at, row.stream)
            try step(end)
        }
    }

    private func integers(_ statement: OpaquePointer?, _ first: Int32, _ values: Int64...) {
        for (offset, value) in values.enumerated() { sqlite3_bind_int64(statement, first + Int32(offset), value) }
    }

    private func text(_ statement: OpaquePointer?, _ index: Int32, _ value: String) {
        sqlite3_bind_text(statement, index, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }

    private func step(_ statement: OpaquePointer?) throws {
        guard sqlite3_step(statement) == SQLITE_DONE else { throw failure }
        sqlite3_reset(statement)
    }

    private func prepare(_ sql: String) -> OpaquePointer? {
        var statement: OpaquePointer?
        sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        return statement
    }

    private func execute(_ sql: String) throws {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
    }

    private var failure: JournalError { JournalError(.unavailable, String(cString: sqlite3_errmsg(connection))) }
}
