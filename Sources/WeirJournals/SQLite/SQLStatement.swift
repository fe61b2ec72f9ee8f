import GRDB
import GRDBSQLite
import WeirFlows

/// A prepared statement, cached by its connection; values are bound and read by position.
///
/// It calls SQLite directly, because texts may contain NUL and are therefore passed by length, and because boxing the
/// values would take as long as writing a change.
struct SQLStatement {
    private let statement: Statement
    private let connection: SQLiteConnection

    init(_ database: Database, _ sql: String) throws {
        statement = try database.cachedStatement(sql: sql)
        guard let connection = database.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
        }
        self.connection = connection
    }

    func run<each Value: SQLValue>(_ value: repeat each Value) throws {
        try rows(repeat each value) { _ in false }
    }

    /// The result of `read` for the first row, or nil.
    func first<Result, each Value: SQLValue>(
        _ value: repeat each Value, read: (SQLRow) throws -> Result
    ) throws -> Result? {
        var result: Result?
        try rows(repeat each value) { row in
            result = try read(row)
            return false
        }
        return result
    }

    func all<Result, each Value: SQLValue>(
        _ value: repeat each Value, read: (SQLRow) throws -> Result
    ) throws -> [Result] {
        var results: [Result] = []
        try rows(repeat each value) { row in
            results.append(try read(row))
            return true
        }
        return results
    }

    /// Passes the rows to `body` until it returns false.
    func rows<each Value: SQLValue>(_ value: repeat each Value, body: (SQLRow) throws -> Bool) throws {
        var index: Int32 = 0
        for value in repeat each value {
            index += 1
            try check(value.bind(to: statement.sqliteStatement, at: index))
        }
        try step(body)
    }

    /// Passes the rows to `body` until it returns false, for a statement with a variable number of values.
    func rows(binding values: [any SQLValue], body: (SQLRow) throws -> Bool) throws {
        var index: Int32 = 0
        for value in values {
            index += 1
            try check(value.bind(to: statement.sqliteStatement, at: index))
        }
        try step(body)
    }

    private func step(_ body: (SQLRow) throws -> Bool) throws {
        // A reset repeats the error of the previous step, which has already been thrown.
        defer { _ = sqlite3_reset(statement.sqliteStatement) }
        while true {
            switch sqlite3_step(statement.sqliteStatement) {
            case SQLITE_ROW:
                guard try body(SQLRow(statement: statement.sqliteStatement)) else { return }
            case SQLITE_DONE: return
            default: throw lastError
            }
        }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw lastError }
    }

    private var lastError: DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
            message: String(cString: sqlite3_errmsg(connection)), sql: statement.sql)
    }
}

/// Reads within a time budget, which SQLite checks in its progress handler.
final class InterruptedReading {
    /// The number of SQLite steps between two checks of the budget; a single step can look through a long text.
    private static let steps: Int32 = 400

    private let budget: WorkBudget

    init(_ budget: WorkBudget) { self.budget = budget }

    /// Runs statements; throws `WorkBudget.Exceeded` as soon as they exceed the budget.
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
