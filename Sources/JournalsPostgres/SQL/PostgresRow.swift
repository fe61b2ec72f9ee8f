import CPostgreSQL
import Journals
import States

/// A row of a result, whose columns are in PostgreSQL's binary form; valid while the result is read.
struct PostgresRow {
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

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func isTrue(_ column: Int32) -> Bool { integer(column) == 1 }

    /// The text of a column of type `text` or `bytea`; empty for null.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

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

extension PostgresRow {
    /// A place in the journal or in an output; throws for a number that is not one.
    func sequence(_ column: Int32) throws -> SequenceNumber {
        guard let sequence = SequenceNumber(exactly: integer(column)) else {
            throw JournalError.damaged("the number \(integer(column)) as a place")
        }
        return sequence
    }

    /// A moment.
    func moment(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    /// How long a run may take, if that was recorded.
    func estimate(_ column: Int32) throws -> RunEstimate? {
        guard let text = optionalText(column) else { return nil }
        guard let estimate = RunEstimate(try JSONValue(parsing: text)) else {
            throw JournalError.damaged("an estimate")
        }
        return estimate
    }

    /// Whether a run is reported, and its title.
    func report(_ column: Int32) -> RunReport? {
        optionalText(column).map { RunReport(title: $0.isEmpty ? nil : $0) }
    }

    /// The state in six columns: case, payload, phase, done, total, unit.
    func state(from column: Int32) throws -> StateRecord {
        let progress = try optionalInteger(column + 3).map { done in
            WorkProgress(done, of: optionalInteger(column + 4), unit: try PostgresCode.unit(integer(column + 5)))
        }
        return StateRecord(
            caseName: text(column), payload: try JSONValue(parsing: text(column + 1)),
            phase: try PostgresCode.phase(integer(column + 2)), progress: progress)
    }
}
