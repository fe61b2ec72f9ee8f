import GRDB

/// Removes whole runs from the journal, each step in one short transaction.
///
/// First a run is deleted from `runs`, with its counts and words, and the floors rise: from then on it is invisible.
/// Then its changes and output are deleted, a limited number of rows at a time; `leaving` records the streams, also
/// across a restart.
struct RunRemoval {
    /// The number of runs hidden, rows deleted and pages returned per step: some milliseconds of work each.
    static let runsPerStep = 100
    static let rowsPerStep = 1_000
    static let pagesPerStep = 200

    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The number of ended runs of one operation, separately for those started here and those imported.
    private struct Ended {
        let name: String
        let operation: Int64
        let here: Int64
        let imported: Int64
    }

    /// Hides some of the runs that the policy removes; returns their number, 0 when none are left.
    func hide(_ policy: RetentionPolicy, now: Timestamp) throws -> Int {
        var leaving: Set<Int64> = []
        for ended in try ended() where leaving.count < Self.runsPerStep {
            let limits = policy.limits(of: ended.name)
            let oldest = limits.maximumAge.map { now.before($0).milliseconds }
            var old = (here: Int64(0), imported: Int64(0))
            if let oldest {
                let runs = try SQLStatement(
                    database,
                    """
                    SELECT opened, epoch IS NOT NULL FROM runs WHERE operation = ? AND ages_from < ?
                        AND (epoch IS NULL OR opened NOT IN (SELECT stream FROM importing)) ORDER BY ages_from LIMIT ?
                    """
                ).all(ended.operation, oldest, Self.runsPerStep - leaving.count) {
                    (opened: $0.integer(0), isImported: $0.integer(1) == 1)
                }
                leaving.formUnion(runs.map(\.opened))
                old.imported = Int64(runs.count { $0.isImported })
                old.here = Int64(runs.count) - old.imported
            }
            // With room for more, all runs beyond the maximum age are included, and the newest of the others stay.
            guard let maximum = limits.maximumRuns else { continue }
            for (isImported, count) in [(false, ended.here - old.here), (true, ended.imported - old.imported)] {
                let excess = min(count - Int64(maximum), Int64(Self.runsPerStep - leaving.count))
                guard excess > 0 else { continue }
                leaving.formUnion(try first(excess, of: ended.operation, isImported: isImported, since: oldest))
            }
        }
        try hide(leaving)
        return leaving.count
    }

    /// The oldest ended runs of an operation within the maximum age.
    private func first(_ count: Int64, of operation: Int64, isImported: Bool, since oldest: Int64?) throws -> [Int64] {
        let source =
            isImported
            ? "runs INDEXED BY runs_imported WHERE epoch IS NOT NULL AND opened NOT IN (SELECT stream FROM importing)"
            : "runs INDEXED BY runs_started_here WHERE epoch IS NULL"
        return try SQLStatement(
            database,
            """
            SELECT opened FROM \(source) AND operation = ? AND ended IS NOT NULL AND ages_from >= ?
            ORDER BY opened LIMIT ?
            """
        ).all(operation, oldest ?? .min, count) { $0.integer(0) }
    }

    private func ended() throws -> [Ended] {
        let all = try SQLStatement(
            database,
            """
            SELECT n.name, c.operation, sum(c.count) FROM counts c JOIN names n ON n.id = c.operation
            WHERE c.phase >= 2 GROUP BY c.operation
            """
        ).all { (name: $0.text(0), operation: $0.integer(1), count: $0.integer(2)) }
        let imported = try SQLStatement(
            database,
            """
            SELECT count(*) FROM runs INDEXED BY runs_imported
            WHERE operation = ? AND epoch IS NOT NULL AND ended IS NOT NULL
            """)
        return try all.map { name, operation, count in
            let imported = try imported.first(operation) { $0.integer(0) } ?? 0
            return Ended(name: name, operation: operation, here: count - imported, imported: imported)
        }
    }

    func forecast(_ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber) throws -> RetentionForecast
    {
        var forecast = RetentionForecast()
        for ended in try ended() {
            let limits = policy.limits(of: ended.name)
            let old = try SQLStatement(
                database,
                "SELECT count(*) - count(epoch), count(epoch) FROM runs WHERE operation = ? AND ages_from < ?"
            ).first(ended.operation, limits.maximumAge.map { now.before($0).milliseconds } ?? .min) {
                (here: $0.integer(0), imported: $0.integer(1))
            }
            for (count, old) in [(ended.here, old?.here ?? 0), (ended.imported, old?.imported ?? 0)] {
                let excess = limits.maximumRuns.map { max(0, count - old - Int64($0)) } ?? 0
                forecast.runs += Int(clamping: old + excess)
                forecast.kept += Int(clamping: count)
            }
            let recent = try SQLStatement(
                database,
                """
                SELECT count(*) FROM runs INDEXED BY runs_by_end
                WHERE operation = ? AND sequence > ? AND ended IS NOT NULL AND epoch IS NULL
                """
            ).first(ended.operation, sequence) { $0.integer(0) }
            forecast.recent += Int(clamping: recent ?? 0)
        }
        return forecast
    }

    /// Hides runs from all reads; their changes and output are deleted later.
    ///
    /// Their floors do not rise with `isDeletion`, because the deletion raises them further.
    func hide(_ runs: Set<Int64>, isDeletion: Bool = false) throws {
        guard !runs.isEmpty else { return }
        var counts: [RunRows.Count: Int64] = [:]
        var floors: [Int64: SequenceNumber] = [:]
        for opened in runs.sorted() {
            let run = try SQLStatement(database, "SELECT operation, phase, sequence FROM runs WHERE opened = ?")
                .first(opened) { (operation: $0.integer(0), phase: $0.integer(1), sequence: try $0.sequence(2)) }
            guard let run else { continue }
            counts[RunRows.Count(operation: run.operation, phase: run.phase), default: 0] -= 1
            for subject in [0, run.operation] { floors[subject] = max(floors[subject] ?? 0, run.sequence) }
            try RunTextIndex(database).remove(opened)
            try ReportTable(database).remember(removed: opened)
            try SQLStatement(database, "DELETE FROM runs WHERE opened = ?").run(opened)
            try SQLStatement(database, "INSERT INTO leaving (stream) VALUES (?)").run(opened)
        }
        try RunRows.add(counts, in: database)
        if !isDeletion { try FloorTable(database).raise(floors) }
        let bits = JournalSchema.blockBits
        try SQLStatement(
            database, "DELETE FROM blocks WHERE block < (SELECT coalesce(min(opened), 0) >> \(bits) FROM runs)"
        ).run()
    }

    /// Deletes some of the data of hidden runs; returns false when none is left.
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
            if left > 0 {
                try ReportTable(database).forgetProducers(of: stream)
                try SQLStatement(database, "DELETE FROM leaving WHERE stream = ?").run(stream)
            }
        }
        return true
    }

    /// Returns some free pages to the disk; returns the remaining page count, or nil if no page was free.
    func shrink() throws -> Int64? {
        let free = try SQLStatement(database, "PRAGMA freelist_count").first { $0.integer(0) } ?? 0
        guard free > 0 else { return nil }
        try SQLStatement(database, "PRAGMA incremental_vacuum(\(Self.pagesPerStep))").rows { _ in true }
        return try SQLStatement(database, "PRAGMA page_count").first { $0.integer(0) }
    }
}

/// Removes the oldest changes of stores from the journal, each step in one short transaction.
struct StoreRemoval {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Removes some of the changes that the policy removes; returns false when none are left.
    func sweep(_ policy: RetentionPolicy) throws -> Bool {
        guard let limit = policy.maximumChangesPerStore else { return false }
        let store = try SQLStatement(
            database, "SELECT opened, revision + 1 - removed FROM stores WHERE revision + 1 - removed > ? LIMIT 1"
        ).first(max(1, limit)) { (opened: $0.integer(0), kept: $0.integer(1)) }
        guard let store else { return false }
        let count = min(store.kept - Int64(max(1, limit)), Int64(RunRemoval.rowsPerStep))
        let floor = try SQLStatement(
            database, "SELECT sequence FROM changes WHERE stream = ? ORDER BY sequence LIMIT 1 OFFSET ?"
        ).first(store.opened, count - 1) { try $0.sequence(0) }
        guard let floor else { throw JournalError.damaged("the count of a store's changes") }
        try SQLStatement(database, "DELETE FROM changes WHERE stream = ? AND sequence <= ?").run(store.opened, floor)
        try SQLStatement(database, "UPDATE stores SET removed = removed + ?, floor = ? WHERE opened = ?")
            .run(count, floor, store.opened)
        try FloorTable(database).raise([0: floor])
        return true
    }
}

/// Reads and raises the floor of a topic: the last sequence that retention removed.
struct FloorTable {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func floor(of topic: Topic) throws -> SequenceNumber {
        switch topic {
        case .board: try floor(ofSubject: 0)
        case .operation(let name): try NameTable.number(of: name, in: database).map(floor(ofSubject:)) ?? 0
        case .run(let id): try RunReader(database).run(id) == nil ? floor(ofSubject: 0) : 0
        case .store(let id):
            try SQLStatement(database, "SELECT floor FROM stores WHERE id = ?").first(id) { try $0.sequence(0) } ?? 0
        case .output: 0
        }
    }

    /// The floor of an operation or of the board without deletions.
    func pruned(of topic: Topic) throws -> SequenceNumber {
        switch topic {
        case .board: try floor(ofSubject: Self.pruned(0))
        case .operation(let name):
            try NameTable.number(of: name, in: database).map { try floor(ofSubject: Self.pruned($0)) } ?? 0
        case .run, .store, .output: try floor(of: topic)
        }
    }

    /// The key of a floor without deletions.
    private static func pruned(_ operation: Int64) -> Int64 { -1 - operation }

    /// Raises the floors of operations, and of the board as 0.
    func raise(_ floors: [Int64: SequenceNumber], isDeletion: Bool = false) throws {
        let pruned = isDeletion ? [] : floors.map { (Self.pruned($0), $1) }
        for (operation, sequence) in floors.map({ ($0, $1) }) + pruned {
            try SQLStatement(
                database,
                """
                INSERT INTO floors (operation, sequence) VALUES (?, ?)
                ON CONFLICT (operation) DO UPDATE SET sequence = max(sequence, excluded.sequence)
                """
            ).run(operation, sequence)
        }
    }

    private func floor(ofSubject number: Int64) throws -> SequenceNumber {
        try SQLStatement(database, "SELECT sequence FROM floors WHERE operation = ?").first(number) {
            try $0.sequence(0)
        }
            ?? 0
    }
}
