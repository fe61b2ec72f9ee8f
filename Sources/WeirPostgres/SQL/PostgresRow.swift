import CPostgreSQL
import WeirJournals

/// A row of a result, whose columns are in PostgreSQL's binary form; valid while the result is read.
struct PostgresRow: JournalRow {
    // Unsafe memory: the result belongs to libpq, which reports the length of every value.
    let result: OpaquePointer
    let index: Int32

    func isNull(_ column: Int32) -> Bool { PQgetisnull(result, index, column) == 1 }

    /// A whole number or a Boolean, however wide; 0 for null.
    func integer(_ column: Int32) -> Int64 {
        let bytes = bytes(column)
        guard let first = bytes.first else { return 0 }
        let sign: Int64 = first & 0x80 != 0 && bytes.count > 1 ? -1 : 0
        return bytes.reduce(sign) { $0 << 8 | Int64($1) }
    }

    /// The text of a column of type `text` or `bytea`; empty for null.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// An array of whole numbers without nulls; empty for anything else.
    func integers(_ column: Int32) -> [Int64] {
        let bytes = Array(bytes(column).dropFirst(20))
        // Each number after its length, which is 8.
        return stride(from: 4, to: bytes.count, by: 12).map { start in
            bytes[start...].prefix(8).reduce(0) { $0 << 8 | Int64($1) }
        }
    }

    private func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let count = Int(PQgetlength(result, index, column))
        guard count > 0, let start = PQgetvalue(result, index, column) else { return .init(start: nil, count: 0) }
        return UnsafeBufferPointer(start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: count)
    }
}
