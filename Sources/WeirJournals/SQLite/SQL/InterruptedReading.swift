import GRDB
import GRDBSQLite
import WeirFlows

/// Reads within a budget of time: SQLite asks every few thousand of its steps whether to go on.
final class InterruptedReading {
    /// How many steps are taken between two looks at the clock: well below a millisecond.
    private static let steps: Int32 = 4_000

    private let budget: WorkBudget

    init(_ budget: WorkBudget) { self.budget = budget }

    /// Runs statements; throws `WorkBudget.Exceeded` as soon as they take longer than the budget.
    func run<Result>(_ database: Database, _ body: () throws -> Result) throws -> Result {
        // Unsafe memory: SQLite holds the reference until the handler is removed, and `self` lives as long.
        let reference = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            database.sqliteConnection, Self.steps,
            { reference in
                guard let reference else { return 0 }
                let reading = Unmanaged<InterruptedReading>.fromOpaque(reference).takeUnretainedValue()
                return reading.budget.isExceeded ? 1 : 0
            }, reference)
        defer { sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil) }
        do {
            return try withExtendedLifetime(self, body)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            try budget.check()
            throw error
        }
    }
}
