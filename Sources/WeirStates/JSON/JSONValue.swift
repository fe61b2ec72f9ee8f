/// A JSON value (RFC 8259) of any shape.
///
/// Whole numbers that fit are stored as `Int64`, and others with their digits. The members of an object are unordered; the text form sorts them, so
/// that equal values have equal texts.
public enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without a fraction that fits in 64 bits.
    case integer(Int64)
    /// Any other number.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, by member name.
    case object([String: JSONValue])
}

extension JSONValue {
    /// The member with that name, or nil if this is not an object or has no such member.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The element at an index, or nil if this is not an array or has no such element.
    package func element(at index: Int) -> JSONValue? {
        // In a closure, `condition ? element : nil` would be the JSON value null instead of no value.
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value of a number that is whole and fits.
    package var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): value.whole
        default: nil
        }
    }

    /// The number with the digits that it was given with.
    package var exactNumber: JSONNumber? {
        switch self {
        case .integer(let value): JSONNumber(parsed: String(value))
        case .number(let value): value
        default: nil
        }
    }

    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value.value
        default: nil
        }
    }

    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    package var object: [String: JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; the last of several members with the same name applies.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
    /// The canonical text: keys sorted by bytes, no white space, unescaped slashes.
    ///
    /// Parsing it returns an equal value, including the distinction between `1` and `1.0`. Throws `EncodingError` for a
    /// number that is not finite.
    package func text() throws -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128)
        try write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to bytes: inout [UInt8]) throws {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: value.description.utf8)
        case .number(let value):
            guard value.isFinite else {
                throw EncodingError.invalidValue(
                    value, .init(codingPath: [], debugDescription: "\(value) cannot be written as JSON"))
            }
            bytes.append(contentsOf: value.description.utf8)
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members): try Self.write(members, to: &bytes)
        }
    }

    private static func write(_ members: [String: JSONValue], to bytes: inout [UInt8]) throws {
        bytes.append(UInt8(ascii: "{"))
        if members.count == 1, let (name, member) = members.first {
            try write(name, member, to: &bytes)
        } else {
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, (name, member)) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try write(name, member, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func write(_ name: String, _ member: JSONValue, to bytes: inout [UInt8]) throws {
        write(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        try member.write(to: &bytes)
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var plain = 0
            for (index, byte) in utf8.enumerated()
            where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: utf8[plain..<index])
                plain = index + 1
                writeEscape(of: byte, to: &bytes)
            }
            bytes.append(contentsOf: utf8[plain...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func writeEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }
}

extension Int64 {
    /// Truncates a number toward zero and clamps it to the range of `Int64`; 0 if it is not a number.
    ///
    /// `Int64(_:)` would trap for numbers from payloads that are out of range.
    package init(clamping number: Double) {
        if let whole = Int64(exactly: number.rounded(.towardZero)) {
            self = whole
        } else {
            self = number.isNaN ? 0 : number < 0 ? .min : .max
        }
    }
}
