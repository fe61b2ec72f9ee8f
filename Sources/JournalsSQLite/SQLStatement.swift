import GRDB
import GRDBSQLite

/// One prepared statement, kept by its connection: values go in and come out by position.
///
/// It speaks to SQLite directly, because texts must keep a NUL within them (so they go by length), and because a change
/// is written in the time that boxing its values would take.
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

    /// Runs the statement to its end.
    func run<each Value: SQLValue>(_ value: repeat each Value) throws {
        try rows(repeat each value) { _ in false }
    }

    /// What `read` makes of the first row; nil if there is none.
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

    /// What `read` makes of all rows.
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

    /// Gives the rows to `body` until it answers false.
    func rows<each Value: SQLValue>(_ value: repeat each Value, body: (SQLRow) throws -> Bool) throws {
        var index: Int32 = 0
        for value in repeat each value {
            index += 1
            try check(value.bind(to: statement.sqliteStatement, at: index))
        }
        try step(body)
    }

    /// Gives the rows to `body` until it answers false, for a statement whose values are put together as it is.
    func rows(binding values: [any SQLValue], body: (SQLRow) throws -> Bool) throws {
        for (index, value) in values.enumerated() {
            try check(value.bind(to: statement.sqliteStatement, at: Int32(index + 1)))
        }
        try step(body)
    }

    private func step(_ body: (SQLRow) throws -> Bool) throws {
        // The result of a reset repeats the error of the step before it, which has been thrown by then.
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
