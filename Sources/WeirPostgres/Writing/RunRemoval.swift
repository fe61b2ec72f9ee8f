import WeirJournals

/// Selects the runs that retention removes.
///
/// `weir.hide` hides them from all reads, after checking that they have ended; `weir.sweep` deletes their changes and
/// output, a limited number of rows at a time, also after a restart.
struct RunRemoval {
    /// The number of runs hidden, and of rows deleted, per step: some milliseconds of work each.
    static let runsPerStep = 100
    static let rowsPerStep = 1_000

    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// The number of ended runs of one operation, separately for those started here and those imported.
    private struct Ended {
        let name: String
        let operation: Int64
        let here: Int64
        let imported: Int64
    }

    /// Some of the runs that the policy removes; empty when none are left.
    func leaving(_ policy: RetentionPolicy, now: Timestamp) throws -> [Int64] {
        var leaving: Set<Int64> = []
        for ended in try ended() where leaving.count < Self.runsPerStep {
            let limits = policy.limits(of: ended.name)
            let oldest = limits.maximumAge.map { now.before($0).milliseconds }
            var old = (here: Int64(0), imported: Int64(0))
            if let oldest {
                let runs = try connection.all(
                    """
                    SELECT opened, epoch IS NOT NULL FROM weir.runs WHERE operation = $1 AND ages_from < $2
                        AND opened NOT IN (SELECT stream FROM weir.importing) ORDER BY ages_from LIMIT $3
                    """, [ended.operation, oldest, Self.runsPerStep - leaving.count]
                ) { (opened: $0.integer(0), isImported: $0.isTrue(1)) }
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
        return leaving.sorted()
    }

    /// The oldest ended runs of an operation within the maximum age.
    private func first(_ count: Int64, of operation: Int64, isImported: Bool, since oldest: Int64?) throws -> [Int64] {
        let kind =
            isImported ? "epoch IS NOT NULL AND opened NOT IN (SELECT stream FROM weir.importing)" : "epoch IS NULL"
        return try connection.all(
            """
            SELECT opened FROM weir.runs WHERE \(kind) AND operation = $1 AND ended IS NOT NULL AND ages_from >= $2
            ORDER BY opened LIMIT $3
            """, [operation, oldest ?? .min, count]
        ) { $0.integer(0) }
    }

    private func ended() throws -> [Ended] {
        let all = try connection.all(
            """
            SELECT n.name, c.operation, sum(c.count)::bigint FROM weir.counts c JOIN weir.names n ON n.id = c.operation
            WHERE c.phase >= 2 GROUP BY n.name, c.operation
            """
        ) { (name: $0.text(0), operation: $0.integer(1), count: $0.integer(2)) }
        return try all.map { name, operation, count in
            let imported =
                try connection.first(
                    "SELECT count(*) FROM weir.runs WHERE operation = $1 AND epoch IS NOT NULL AND ended IS NOT NULL",
                    [operation]
                ) { $0.integer(0) } ?? 0
            return Ended(name: name, operation: operation, here: count - imported, imported: imported)
        }
    }

    func forecast(_ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber) throws -> RetentionForecast
    {
        var forecast = RetentionForecast()
        for ended in try ended() {
            let limits = policy.limits(of: ended.name)
            let old = try connection.first(
                "SELECT count(*) - count(epoch), count(epoch) FROM weir.runs WHERE operation = $1 AND ages_from < $2",
                [ended.operation, limits.maximumAge.map { now.before($0).milliseconds } ?? .min]
            ) { (here: $0.integer(0), imported: $0.integer(1)) }
            for (count, old) in [(ended.here, old?.here ?? 0), (ended.imported, old?.imported ?? 0)] {
                let excess = limits.maximumRuns.map { max(0, count - old - Int64($0)) } ?? 0
                forecast.runs += Int(clamping: old + excess)
                forecast.kept += Int(clamping: count)
            }
            let recent = try connection.first(
                """
                SELECT count(*) FROM weir.runs
                WHERE operation = $1 AND ended_sequence > $2 AND ended IS NOT NULL AND epoch IS NULL
                """, [ended.operation, sequence]
            ) { $0.integer(0) }
            forecast.recent += Int(clamping: recent ?? 0)
        }
        return forecast
    }
}
