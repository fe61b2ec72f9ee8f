import CPostgreSQL
import WeirJournals

/// A parameter of a statement, in PostgreSQL's binary format.
protocol PostgresValue {
    /// The OID of the type.
    static var type: UInt32 { get }
    /// The bytes; nil for NULL.
    var bytes: [UInt8]? { get }
}

extension Int64: PostgresValue {
    static var type: UInt32 { 20 }

    var bytes: [UInt8]? {
        // Unsafe memory: the bytes of a number on the stack are copied at once.
        withUnsafeBytes(of: bigEndian) { Array($0) }
    }
}

extension SequenceNumber: PostgresValue {
    static var type: UInt32 { Int64.type }
    var bytes: [UInt8]? { rawValue.bytes }
}

extension Int: PostgresValue {
    static var type: UInt32 { Int64.type }
    var bytes: [UInt8]? { Int64(clamping: self).bytes }
}

extension Bool: PostgresValue {
    static var type: UInt32 { 16 }
    var bytes: [UInt8]? { [self ? 1 : 0] }
}

/// A text without NUL, such as JSON and folded words.
extension String: PostgresValue {
    static var type: UInt32 { 25 }
    var bytes: [UInt8]? { Array(utf8) }
}

/// A text that may contain NUL: its UTF-8 bytes, for a column of type `bytea`.
struct AnyText: PostgresValue, Hashable {
    static var type: UInt32 { 17 }

    let text: String

    init(_ text: String) { self.text = text }

    init?(_ text: String?) {
        guard let text else { return nil }
        self.text = text
    }

    var bytes: [UInt8]? { Array(text.utf8) }
}

extension Optional: PostgresValue where Wrapped: PostgresValue {
    static var type: UInt32 { Wrapped.type }
    var bytes: [UInt8]? { flatMap(\.bytes) }
}

/// A type whose arrays can be parameters of a statement.
protocol PostgresElement: PostgresValue {
    /// The OID of the array type.
    static var arrayType: UInt32 { get }
}

extension Int64: PostgresElement { static var arrayType: UInt32 { 1_016 } }
extension SequenceNumber: PostgresElement { static var arrayType: UInt32 { Int64.arrayType } }
extension Int: PostgresElement { static var arrayType: UInt32 { Int64.arrayType } }
extension Bool: PostgresElement { static var arrayType: UInt32 { 1_000 } }
extension String: PostgresElement { static var arrayType: UInt32 { 1_009 } }
extension AnyText: PostgresElement { static var arrayType: UInt32 { 1_001 } }
extension Optional: PostgresElement where Wrapped: PostgresElement {
    static var arrayType: UInt32 { Wrapped.arrayType }
}

extension Array: PostgresValue where Element: PostgresElement {
    static var type: UInt32 { Element.arrayType }

    /// One dimension with lower bound 1.
    var bytes: [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + count * 12)
        func add(_ number: UInt32) { Swift.withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
        add(isEmpty ? 0 : 1)
        add(1)
        add(Element.type)
        guard !isEmpty else { return bytes }
        add(UInt32(clamping: count))
        add(1)
        for element in self {
            guard let content = element.bytes else {
                add(.max)
                continue
            }
            add(UInt32(clamping: content.count))
            bytes.append(contentsOf: content)
        }
        return bytes
    }
}

/// A row of a result in PostgreSQL's binary format; valid while the result is read.
struct PostgresRow: JournalRow {
    // Unsafe memory: the result belongs to libpq, which reports the length of every value.
    let result: OpaquePointer
    let index: Int32

    func isNull(_ column: Int32) -> Bool { PQgetisnull(result, index, column) == 1 }

    /// An integer of any width, or a Boolean; 0 for NULL.
    func integer(_ column: Int32) -> Int64 {
        let bytes = bytes(column)
        guard let first = bytes.first else { return 0 }
        let sign: Int64 = first & 0x80 != 0 && bytes.count > 1 ? -1 : 0
        return bytes.reduce(sign) { $0 << 8 | Int64($1) }
    }

    /// The text of a column of type `text` or `bytea`; empty for NULL.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// An array of integers without NULLs; empty for anything else.
    func integers(_ column: Int32) -> [Int64] {
        let bytes = Array(bytes(column).dropFirst(20))
        // Each number follows its length, which is 8.
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
