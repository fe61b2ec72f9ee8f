import GRDBSQLite

/// The current row of a statement; valid until the statement advances.
struct SQLRow: JournalRow {
    let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String { withBytes(column) { String(decoding: $0, as: UTF8.self) } }

    /// Passes the bytes of a text, which are valid during the call; none for NULL.
    func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // Unsafe memory: the bytes belong to SQLite until the statement advances, and SQLite reports their count.
        let bytes = sqlite3_column_text(statement, column)
        return body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
}

protocol SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 { sqlite3_bind_int64(statement, index, self) }
}

extension SequenceNumber: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 { rawValue.bind(to: statement, at: index) }
}

extension Int: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int64(statement, index, Int64(self))
    }
}

extension Bool: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        sqlite3_bind_int(statement, index, self ? 1 : 0)
    }
}

extension String: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        // SQLite copies the text because of the constant -1; an empty text needs an address, or it would be NULL.
        // Never traps: SQLite recognises the constant and never calls it.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        guard !isEmpty else { return sqlite3_bind_text(statement, index, "", 0, copied) }
        // Longer than the maximum length in SQLite.
        guard let count = Int32(exactly: utf8.count) else { return SQLITE_TOOBIG }
        var text = self
        return text.withUTF8 { utf8 in
            // Unsafe memory: SQLite copies the bytes within the call, and receives their count.
            utf8.withMemoryRebound(to: CChar.self) { bytes in
                sqlite3_bind_text(statement, index, bytes.baseAddress, count, copied)
            }
        }
    }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
    }
}
