import GRDBSQLite

/// What can stand for a `?` of a statement.
protocol SQLValue {
    /// Puts the value in its place; answers SQLite's result code.
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32
}

extension Int64: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 { sqlite3_bind_int64(statement, index, self) }
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
        // -1 is SQLite's sign for "copy it"; an empty text needs an address all the same, or it would be a NULL.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        guard !isEmpty else { return sqlite3_bind_text(statement, index, "", 0, copied) }
        var text = self
        return text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { bytes in
                sqlite3_bind_text(statement, index, bytes.baseAddress, Int32(bytes.count), copied)
            }
        }
    }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
    }
}
