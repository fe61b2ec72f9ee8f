import GRDBSQLite

/// A value that can be bound to a `?` of a statement.
protocol SQLValue {
    /// Binds the value; returns SQLite's result code.
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
        // -1 is SQLite's constant for "copy it"; an empty text still needs an address, or it would be NULL.
        // Never traps: SQLite recognises the constant and never calls it.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        guard !isEmpty else { return sqlite3_bind_text(statement, index, "", 0, copied) }
        // Longer than any text that SQLite accepts.
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
