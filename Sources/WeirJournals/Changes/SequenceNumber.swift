package import WeirStates

/// A position in an append-only log: of a change in the journal, or of a line in a run's output.
///
/// It counts from 1; ``zero`` is the position before the first. The range is 0 to 9,007,199,254,740,991, which every
/// JSON reader represents exactly, and the arithmetic saturates. External numbers are converted where they enter the
/// program.
package struct SequenceNumber: Sendable, Hashable {
    package let rawValue: Int64

    package static let zero = SequenceNumber(unchecked: 0)
    /// The last possible position; as a bound, no limit.
    package static let max = SequenceNumber(unchecked: 9_007_199_254_740_991)

    private init(unchecked value: Int64) { rawValue = value }

    /// Returns nil outside 0 to 9,007,199,254,740,991.
    package init?(exactly number: some BinaryInteger) {
        guard let value = Int64(exactly: number), (0...Self.max.rawValue).contains(value) else { return nil }
        rawValue = value
    }

    package init(clamping number: some BinaryInteger) {
        rawValue = Swift.min(Swift.max(Int64(clamping: number), 0), Self.max.rawValue)
    }

    /// Saturates at ``max``.
    package var next: SequenceNumber { advanced(by: 1) }
    /// Saturates at ``zero``.
    package var previous: SequenceNumber { advanced(by: -1) }
}

extension SequenceNumber: Strideable {
    package static func < (left: SequenceNumber, right: SequenceNumber) -> Bool { left.rawValue < right.rawValue }

    package func distance(to other: SequenceNumber) -> Int { Int(clamping: other.rawValue - rawValue) }

    /// Saturates in both directions.
    package func advanced(by count: Int) -> SequenceNumber {
        let (sum, isOver) = rawValue.addingReportingOverflow(Int64(clamping: count))
        return isOver ? (count < 0 ? .zero : .max) : SequenceNumber(clamping: sum)
    }
}

extension SequenceNumber: LosslessStringConvertible {
    package var description: String { String(rawValue) }

    /// Parses decimal digits as ``description`` writes them: no sign, no leading zero, no other characters.
    package init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard (1...16).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        self.init(exactly: digits.reduce(into: Int64(0)) { $0 = $0 * 10 + Int64($1 - UInt8(ascii: "0")) })
    }
}

extension SequenceNumber: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self.init(clamping: value) }
}

extension SequenceNumber: Codable {
    /// Throws for a number outside the range.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let number = SequenceNumber(exactly: try container.decode(Int64.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "A place in the journal is a whole number from 0 to \(SequenceNumber.max).")
        }
        self = number
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension JSONValue {
    /// The position with this integer, if it is in range.
    package var sequenceNumber: SequenceNumber? { integer.flatMap { SequenceNumber(exactly: $0) } }
}
