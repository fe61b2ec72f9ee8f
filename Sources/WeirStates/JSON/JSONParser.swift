package import Foundation

/// Parses the UTF-8 bytes of one JSON text (RFC 8259) in one pass.
///
/// The last of several members with the same name applies. Nesting deeper than ``maximumDepth`` is an error, because
/// the stack is limited.
struct JSONParser {
    static let maximumDepth = 512

    // Unsafe memory: the bytes outlive the parser, and each is read only after its index was checked against the count.
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0
    private var depth = 0
    /// Whether to read numbers beyond `Double`, and those of more than ``JSONNumber/limit`` characters, as texts.
    private let keepsLargeNumbers: Bool
    /// Whether to read what programs write against RFC 8259.
    ///
    /// `NaN` and `Infinity` are then texts, as are large numbers, half a surrogate pair is U+FFFD, and a byte order mark is
    /// skipped.
    private let isLenient: Bool

    private init(_ bytes: UnsafeBufferPointer<UInt8>, keepsLargeNumbers: Bool, isLenient: Bool) {
        (self.bytes, self.isLenient) = (bytes, isLenient)
        self.keepsLargeNumbers = keepsLargeNumbers || isLenient
    }

    /// Parses the bytes of a JSON text.
    ///
    /// Throws `DecodingError` with the line and column of the error.
    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, keepsLargeNumbers: Bool = false, isLenient: Bool = false
    ) throws -> JSONValue {
        var parser = JSONParser(bytes, keepsLargeNumbers: keepsLargeNumbers, isLenient: isLenient)
        if isLenient, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.index = 3 }
        parser.skipSpace()
        let value = try parser.value()
        parser.skipSpace()
        guard parser.index == bytes.count else { throw parser.mistake("there is text after the end of the value") }
        return value
    }

    // MARK: Values

    private mutating func value() throws -> JSONValue {
        guard let byte = peek else { throw mistake("the text ends where a value should be") }
        switch byte {
        case UInt8(ascii: "{"): return try nested { try $0.object() }
        case UInt8(ascii: "["): return try nested { try $0.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "N") where isLenient: return try word("NaN", .string("NaN"))
        case UInt8(ascii: "I") where isLenient: return try word("Infinity", .string("Infinity"))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw mistake("this is not a value")
        }
    }

    private mutating func nested(_ body: (inout JSONParser) throws -> JSONValue) throws -> JSONValue {
        guard depth < Self.maximumDepth else { throw mistake("values are nested more than \(Self.maximumDepth) deep") }
        depth += 1
        index += 1
        defer { depth -= 1 }
        skipSpace()
        return try body(&self)
    }

    private mutating func object() throws -> JSONValue {
        var members: [String: JSONValue] = [:]
        guard !take(UInt8(ascii: "}")) else { return .object(members) }
        repeat {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw mistake("expected a member's name in quotes") }
            let name = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw mistake("expected a colon") }
            skipSpace()
            members[name] = try value()
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw mistake("expected a comma or a closing brace") }
        return .object(members)
    }

    private mutating func array() throws -> JSONValue {
        var elements: [JSONValue] = []
        guard !take(UInt8(ascii: "]")) else { return .array(elements) }
        repeat {
            skipSpace()
            elements.append(try value())
            skipSpace()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw mistake("expected a comma or a closing bracket") }
        return .array(elements)
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws -> JSONValue {
        let end = index + word.utf8CodeUnitCount
        let expected = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard end <= bytes.count, bytes[index..<end].elementsEqual(expected) else {
            throw mistake("this is not a value")
        }
        index = end
        return value
    }

    private mutating func number() throws -> JSONValue {
        let start = index
        var isWhole = true
        _ = take(UInt8(ascii: "-"))
        if isLenient, peek == UInt8(ascii: "I") { return try word("Infinity", .string("-Infinity")) }
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) {
            isWhole = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isWhole, let whole = Int64(text) { return .integer(whole) }
        guard text.utf8.count <= JSONNumber.limit else {
            if keepsLargeNumbers { return .string(text) }
            throw mistake("this number is too long")
        }
        guard let number = Double(text), number.isFinite else {
            if keepsLargeNumbers { return .string(text) }
            throw mistake("this number is too large")
        }
        return .number(JSONNumber(parsed: text))
    }

    private mutating func digits() throws {
        let start = index
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw mistake("expected a digit") }
    }

    // MARK: Strings

    private mutating func string() throws -> String {
        index += 1
        let start = index
        // Strings without escapes, which are the most common, are copied directly.
        while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { index += 1 }
        // Never traps: the quote that was consumed comes after the start.
        if take(UInt8(ascii: "\"")) { return try text(bytes[start..<(index - 1)]) }
        var content = Array(bytes[start..<index])
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return try content.withUnsafeBufferPointer { try text($0[...]) }
            case UInt8(ascii: "\\"): content.append(contentsOf: try escape())
            case 0..<0x20: throw mistake("a control character must be escaped")
            default: content.append(byte)
            }
        }
        throw mistake("a string has no end")
    }

    private func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw mistake("this is not UTF-8") }
        return text
    }

    private mutating func escape() throws -> [UInt8] {
        guard let byte = peek else { throw mistake("a string has no end") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
        default: throw mistake("this is not a valid escape")
        }
    }

    private mutating func scalar() throws -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let start = index
        if (0xD800..<0xDC00).contains(first), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let second = try unit()
            if (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return scalar
            }
        }
        guard isLenient else { throw mistake("half a surrogate pair") }
        index = start
        return "\u{FFFD}"
    }

    private mutating func unit() throws -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw mistake("expected four hexadecimal digits")
            }
            unit = unit << 4 | UInt32(truncatingIfNeeded: digit)
            index += 1
        }
        return unit
    }

    // MARK: Bytes

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private func mistake(_ what: String) -> DecodingError {
        let before = bytes[..<min(index, bytes.count)]
        let line = before.count { $0 == 0x0A } + 1
        let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        return .dataCorrupted(.init(codingPath: [], debugDescription: "line \(line), column \(column): \(what)"))
    }
}

extension JSONValue {
    /// Parses a JSON text.
    ///
    /// `isLenient` accepts what programs write for numbers beyond `Double` and for names of files that are not Unicode: as
    /// texts, and with U+FFFD. Throws `DecodingError` with line and column of the error.
    package init(parsing text: some StringProtocol, isLenient: Bool = false) throws {
        var text = String(text)
        self = try text.withUTF8 { try JSONParser.parse($0, isLenient: isLenient) }
    }

    /// Parses the UTF-8 bytes of a JSON text.
    ///
    /// `keepsLargeNumbers` accepts numbers beyond `Double`, and those of more than 1,000 characters, as texts. Throws
    /// `DecodingError` with line and column of the error.
    package init(parsing data: Data, keepsLargeNumbers: Bool = false) throws {
        // Unsafe memory: the bytes are read only during the call, and no further than their count.
        self = try data.withUnsafeBytes {
            try JSONParser.parse($0.assumingMemoryBound(to: UInt8.self), keepsLargeNumbers: keepsLargeNumbers)
        }
    }
}
