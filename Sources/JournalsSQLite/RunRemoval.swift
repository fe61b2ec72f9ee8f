import GRDB
import Journals
import States

/// Takes whole runs out of the journal, in steps of which each is one short transaction.
///
/// First a run leaves `runs`, with its counts and words, and the floors rise: from then on nobody sees it. Then its
/// changes and its output go, so many rows at a time; `leaving` remembers whose, also over a restart.
struct RunRemoval {
    /// How many runs one step hides, how many rows it deletes, how many pages it gives back: some milliseconds' worth each.
    static let runsPerStep = 100
    static let rowsPerStep = 1_000
    static let pagesPerStep = 200

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Hides some of the runs the policy lets go; tells how many, 0 when there are no more.
    func hide(_ policy: RetentionPolicy, now: Timestamp) throws -> Int {
        var going: Set<Int64> = []
        let ended = try SQLStatement(
            database,
            """
            SELECT n.name, c.operation, sum(c.count) FROM counts c JOIN names n ON n.id = c.operation
            WHERE c.phase >= 2 GROUP BY c.operation
            """
        ).all { (name: $0.text(0), operation: $0.integer(1), count: $0.integer(2)) }
        for (name, operation, count) in ended where going.count < Self.runsPerStep {
            let limits = policy.limits(of: name)
            if let age = limits.maximumAge {
                going.formUnion(
                    try SQLStatement(
                        database,
                        "SELECT opened FROM runs WHERE operation = ? AND ages_from < ? ORDER BY ages_from LIMIT ?"
                    ).all(operation, now.milliseconds - age, Self.runsPerStep - going.count) { $0.integer(0) })
            }
            if let maximum = limits.maximumRuns, count > maximum, going.count < Self.runsPerStep {
                let excess = min(count - Int64(maximum), Int64(Self.runsPerStep - going.count))
                going.formUnion(
                    try SQLStatement(
                        database,
                        "SELECT opened FROM runs WHERE operation = ? AND ended IS NOT NULL ORDER BY opened LIMIT ?"
                    ).all(operation, excess) { $0.integer(0) })
            }
        }
        try hide(going)
        return going.count
    }

    private func hide(_ runs: Set<Int64>) throws {
        guard !runs.isEmpty else { return }
        var counts: [RunTable.Count: Int64] = [:]
        var floors: [Int64: Int64] = [:]
        for opened in runs.sorted() {
            let run = try SQLStatement(database, "SELECT operation, phase, sequence FROM runs WHERE opened = ?")
                .first(opened) { (operation: $0.integer(0), phase: $0.integer(1), sequence: $0.integer(2)) }
            guard let run else { continue }
            counts[RunTable.Count(operation: run.operation, phase: run.phase), default: 0] -= 1
            for subject in [0, run.operation] { floors[subject] = max(floors[subject] ?? 0, run.sequence) }
            try RunTextIndex(database).remove(opened)
            try SQLStatement(database, "DELETE FROM runs WHERE opened = ?").run(opened)
            try SQLStatement(database, "INSERT INTO leaving (stream) VALUES (?)").run(opened)
        }
        try RunTable.add(counts, in: database)
        try FloorTable(database).raise(floors)
        let bits = JournalSchema.blockBits
        try SQLStatement(
            database, "DELETE FROM blocks WHERE block < (SELECT coalesce(min(opened), 0) >> \(bits) FROM runs)"
        ).run()
    }

    /// Deletes some of what hidden runs left; false when nothing is left.
    func sweep() throws -> Bool {
        var left = Self.rowsPerStep
        while left > 0 {
            let stream = try SQLStatement(database, "SELECT stream FROM leaving ORDER BY stream LIMIT 1")
                .first { $0.integer(0) }
            guard let stream else { return left < Self.rowsPerStep }
            try SQLStatement(
                database,
                "DELETE FROM changes WHERE sequence IN (SELECT sequence FROM changes WHERE stream = ? LIMIT ?)"
            ).run(stream, left)
            left -= database.changesCount
            try SQLStatement(
                database,
                """
                DELETE FROM output WHERE stream = ?1
                    AND number < (SELECT min(number) + ?2 FROM output WHERE stream = ?1)
                """
            ).run(stream, left)
            left -= database.changesCount
            if left > 0 { try SQLStatement(database, "DELETE FROM leaving WHERE stream = ?").run(stream) }
        }
        return true
    }

    /// Gives some free pages back to the disk; false when none are left.
    func shrink() throws -> Bool {
        let free = try SQLStatement(database, "PRAGMA freelist_count").first { $0.integer(0) } ?? 0
        guard free > 0 else { return false }
        try SQLStatement(database, "PRAGMA incremental_vacuum(\(Self.pagesPerStep))").rows { _ in true }
        return true
    }
}
