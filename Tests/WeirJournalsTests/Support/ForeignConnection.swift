import Foundation

import GRDBSQLite

/// Another program at the journal's file: plain SQLite, which knows nothing of journals.
final class ForeignConnection {
    private var connection: OpaquePointer?

    init(path: String) throws {
        try check(sqlite3_open(path, &connection))
    }

    deinit { sqlite3_close(connection) }

    func execute(_ sql: String) throws {
        try check(sqlite3_exec(connection, sql, nil, nil, nil))
    }

    func number(_ sql: String) throws -> Int64 {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v2(connection, sql, -1, &statement, nil))
        defer { sqlite3_finalize(statement) }
        _ = sqlite3_step(statement)
        return sqlite3_column_int64(statement, 0)
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw SQLiteFailure(code: code) }
    }

    struct SQLiteFailure: Error { let code: Int32 }
}
