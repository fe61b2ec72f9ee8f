import WeirJournals

/// A value that can be sent for a `$1` of a statement, in PostgreSQL's binary form.
protocol PostgresValue {
    /// The number of its type in PostgreSQL's catalog.
    static var type: UInt32 { get }
    /// Its bytes; nil for null.
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

/// A text without NUL, as JSON and folded words are.
extension String: PostgresValue {
    static var type: UInt32 { 25 }
    var bytes: [UInt8]? { Array(utf8) }
}

/// A text in which NUL can occur: a column of type `bytea` holds its UTF-8 bytes.
struct AnyText: PostgresValue, Hashable {
    static var type: UInt32 { 17 }

    let text: String

    init(_ text: String) { self.text = text }

    /// A text that can be absent.
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

/// The types of which a statement takes whole columns.
protocol PostgresElement: PostgresValue {
    /// The number of the type of their arrays.
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

    /// One dimension, counted from 1.
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
