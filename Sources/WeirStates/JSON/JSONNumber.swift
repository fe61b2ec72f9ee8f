/// A JSON number with the digits that it was given with.
///
/// Equal numbers have equal digits: `1.10` differs from `1.1`, as their texts do.
public struct JSONNumber: Sendable, Hashable, LosslessStringConvertible {
    /// The maximum length of a number's text.
    static let limit = 1_000

    /// The digits, as in JSON.
    public let description: String

    /// Creates a number with the fewest digits that identify the value.
    public init(_ value: Double) { description = value.description }

    /// Parses a JSON number; returns nil for any other text, for a number beyond `Double`, and for more than 1,000 characters.
    public init?(_ description: String) {
        switch try? JSONValue(parsing: description) {
        case .number(let number): self = number
        case .integer(let whole): self.description = String(whole)
        case .null, .bool, .string, .array, .object, nil: return nil
        }
    }

    /// Creates a number from text that was parsed.
    init(parsed text: String) { description = text }

    /// The nearest `Double`.
    public var value: Double { Double(description) ?? .nan }

    /// Whether the number can be written as JSON.
    var isFinite: Bool { description.utf8.last.map { (0x30...0x39).contains($0) } ?? false }

    /// The number if it is whole and fits, computed from its digits, because a `Double` may not hold them.
    package var whole: Int64? {
        let parts = description.lowercased().split(separator: "e", maxSplits: 1)
        let digits = (parts.first ?? "").split(separator: ".", maxSplits: 1)
        let fraction = digits.dropFirst().first ?? ""
        let all = (digits.first ?? "") + fraction
        if all.allSatisfy({ $0 == "0" || $0 == "-" }), isFinite { return 0 }
        guard let exponent = parts.count > 1 ? Int(parts[1]) : 0, exponent.magnitude <= Self.limit else { return nil }
        let places = exponent - fraction.count
        if places < 0 {
            guard all.suffix(max(0, -places)).allSatisfy({ $0 == "0" }) else { return nil }
            return Int64(all.dropLast(max(0, -places)))
        }
        return places < 20 ? Int64(all + String(repeating: "0", count: max(0, places))) : nil
    }
}

extension JSONNumber: Codable {
    /// Decodes a JSON number, as `JSONValue` does.
    public init(from decoder: any Decoder) throws {
        guard let number = try decoder.singleValueContainer().decode(JSONValue.self).exactNumber else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "this is no number"))
        }
        self = number
    }

    /// Encodes a JSON number, as `JSONValue` does.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(JSONValue.number(self))
    }
}

extension JSONNumber {
    /// The value as sign, digits without zeros around them, and the place of the point before them: 0.050 is 5 with -1.
    private var exact: (isNegative: Bool, digits: Substring, point: Int) {
        let parts = description.lowercased().split(separator: "e", maxSplits: 1)
        let mantissa = (parts.first ?? "").drop { $0 == "-" }
        let pieces = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = pieces.first ?? ""
        let all = String(whole + (pieces.dropFirst().first ?? ""))
        let zeros = all.prefix { $0 == "0" }.count
        let digits = all.dropFirst(zeros).reversed().drop { $0 == "0" }.reversed()
        guard !digits.isEmpty else { return (false, "", 0) }
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let point = (whole.count - zeros).addingReportingOverflow(exponent).partialValue
        return (description.hasPrefix("-"), Substring(String(digits)), point)
    }

    /// Compares the values by their digits, which a `Double` may not hold.
    package func isLess(than other: JSONNumber) -> Bool {
        let (left, right) = (exact, other.exact)
        let isOrdered = { (small: Substring, large: Substring, smallPoint: Int, largePoint: Int) -> Bool in
            if large.isEmpty { return false }
            if small.isEmpty { return true }
            return smallPoint == largePoint ? small < large : smallPoint < largePoint
        }
        guard left.isNegative == right.isNegative else { return left.isNegative }
        return left.isNegative
            ? isOrdered(right.digits, left.digits, right.point, left.point)
            : isOrdered(left.digits, right.digits, left.point, right.point)
    }

    /// The same value for every way to write it: `1.10`, `1.1` and `11e-1`.
    fileprivate var canonical: JSONNumber {
        let (isNegative, digits, point) = exact
        return JSONNumber(parsed: digits.isEmpty ? "0" : "\(isNegative ? "-" : "")0.\(digits)e\(point)")
    }
}

extension JSONValue {
    /// The value in which equal numbers are equal, however they are written: `0`, `0.0` and `0e0`.
    package var withEqualNumbers: JSONValue {
        switch self {
        case .null, .bool, .string: self
        case .integer(let number): .number(JSONNumber(parsed: String(number)).canonical)
        case .number(let number): .number(number.canonical)
        case .array(let elements): .array(elements.map(\.withEqualNumbers))
        case .object(let members): .object(members.mapValues(\.withEqualNumbers))
        }
    }

    /// A number with the fewest digits that identify the value.
    public static func number(_ value: Double) -> JSONValue { .number(JSONNumber(value)) }

    /// Parses a number as people and files write it: also with a plus sign, with zeros before it, and with no digit on one side of
    /// the point.
    ///
    /// Returns nil for any other text.
    package init?(number text: some StringProtocol) {
        guard text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }) else { return nil }
        if let whole = Int64(text) {
            self = .integer(whole)
            return
        }
        let sign = text.hasPrefix("-") ? "-" : ""
        let rest = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let digits = rest.prefix { $0 != "e" && $0 != "E" }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let whole = (parts.first ?? "").drop { $0 == "0" }
        let fraction = parts.dropFirst().first ?? ""
        guard digits.contains(where: \.isNumber), !digits.contains(where: { $0 == "-" || $0 == "+" }) else {
            return nil
        }
        let plain = sign + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
        guard let value = try? JSONValue(parsing: plain + rest.dropFirst(digits.count)) else { return nil }
        self = value
    }
}
