import GRDB
import WeirStates

/// Writes the fold of runs, and the counts and indices derived from it.
struct RunRows {
    struct Count: Hashable {
        let operation: Int64
        let phase: Int64
    }

    private let database: Database
    private var counts: [Count: Int64] = [:]
    private var blocks: [Int64: ClosedRange<Int64>] = [:]
    private var someEnded = false

    init(_ database: Database) { self.database = database }

    mutating func write(_ id: String, _ run: StreamState, actor: Int64?, importedAt: Timestamp?) throws {
        guard let operation = run.operation else { return }
        let phase = JournalCode.code(of: run.phase)
        let agesFrom = run.ended.map { max($0, importedAt ?? $0).milliseconds }
        if let opening = run.opening, let actor, let started = run.started {
            try SQLStatement(
                database,
                """
                INSERT INTO runs (opened, id, operation, actor, input, retry_of, idempotency_key, phase, revision,
                    sequence, started, ended, ages_from, epoch, expected, report\(JournalColumns.adding(\.name)))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?\(JournalColumns.adding { _ in "?" }))
                """
            ).rows(
                binding: [
                    run.opened, id, operation, actor, try opening.input.text(), opening.retryOf, opening.idempotencyKey,
                    phase, run.revision, run.sequence, started.milliseconds, run.ended?.milliseconds, agesFrom,
                    run.epoch, try opening.expected?.json.text(), opening.report.map { $0.title ?? "" },
                ] + JournalColumns.added.map { $0.value(opening) }
            ) { _ in true }
            let block = run.opened.rawValue >> JournalSchema.blockBits
            let known = blocks[block] ?? started.milliseconds...started.milliseconds
            blocks[block] = min(known.lowerBound, started.milliseconds)...max(known.upperBound, started.milliseconds)
        } else {
            try update(run, phase: phase, agesFrom: agesFrom)
        }
        if let stored = run.storedPhase.map(JournalCode.code(of:)) {
            counts[Count(operation: operation, phase: stored), default: 0] -= 1
        }
        counts[Count(operation: operation, phase: phase), default: 0] += 1
        someEnded = someEnded || run.ended != nil
    }

    private func update(_ run: StreamState, phase: Int64, agesFrom: Int64?) throws {
        if run.isIndexed { try RunTextIndex(database).remove(run.opened) }
        // Five indices contain the phase, which most changes leave unmodified.
        if run.storedPhase == run.phase, run.ended == nil {
            try SQLStatement(database, "UPDATE runs SET revision = ?, sequence = ? WHERE opened = ?")
                .run(run.revision, run.sequence, run.opened)
        } else {
            try SQLStatement(
                database,
                """
                UPDATE runs SET phase = ?, revision = ?, sequence = ?, ended = ?, ages_from = ?, indexed = 0
                WHERE opened = ?
                """
            ).run(phase, run.revision, run.sequence, run.ended?.milliseconds, agesFrom, run.opened)
        }
    }

    mutating func finish() throws {
        try Self.add(counts, in: database)
        for (block, range) in blocks {
            try SQLStatement(
                database,
                """
                INSERT INTO blocks (block, earliest, latest) VALUES (?, ?, ?) ON CONFLICT (block) DO UPDATE
                SET earliest = min(earliest, excluded.earliest), latest = max(latest, excluded.latest)
                """
            ).run(block, range.lowerBound, range.upperBound)
        }
        if someEnded { try RunTextIndex(database).catchUp(ifAtLeast: RunTextIndex.batch) }
    }

    static func add(_ differences: [Count: Int64], in database: Database) throws {
        for (place, difference) in differences where difference != 0 {
            try SQLStatement(
                database,
                """
                INSERT INTO counts (operation, phase, count) VALUES (?, ?, ?)
                ON CONFLICT (operation, phase) DO UPDATE SET count = count + excluded.count
                """
            ).run(place.operation, place.phase, difference)
        }
    }
}
