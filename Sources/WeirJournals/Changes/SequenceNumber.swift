package import WeirStates

/// A place in a log that only grows: of a change in the journal, or of a line in a run's output.
///
/// It counts from 1; ``zero`` is the place before the first. It holds only 0 to 9,007,199,254,740,991, so that it is
/// exact in every JSON reader, and its arithmetic saturates instead of overflowing. Numbers from outside are converted
/// to it where they come in, and are harmless from then on.
package struct SequenceNumber: Sendable, Hashable {
    /// The number.
    package let rawValue: Int64

    /// The place before the first.
    package static let zero = SequenceNumber(unchecked: 0)
    /// The last possible place; as a bound it means "without limit".
    package static let max = SequenceNumber(unchecked: 9_007_199_254_740_991)

    private init(unchecked value: Int64) { rawValue = value }

    /// The place with that number; nil outside 0 to 9,007,199,254,740,991.
    package init?(exactly number: some BinaryInteger) {
        guard let value = Int64(exactly: number), (0...Self.max.rawValue).contains(value) else { return nil }
        rawValue = value
    }

    /// The place nearest to a number.
    package init(clamping number: some BinaryInteger) {
        rawValue = Swift.min(Swift.max(Int64(clamping: number), 0), Self.max.rawValue)
    }

    /// The place after this one; after the last place, the last place.
    package var next: SequenceNumber { advanced(by: 1) }
    /// The place before this one; before 0, 0.
    package var previous: SequenceNumber { advanced(by: -1) }
}

extension SequenceNumber: Strideable {
    /// Orders by the number.
    package static func < (left: SequenceNumber, right: SequenceNumber) -> Bool { left.rawValue < right.rawValue }

    /// The distance to another place; negative if that one comes before.
    package func distance(to other: SequenceNumber) -> Int { Int(clamping: other.rawValue - rawValue) }

    /// The place that many places further, or the end in that direction.
    package func advanced(by count: Int) -> SequenceNumber {
        let (sum, isOver) = rawValue.addingReportingOverflow(Int64(clamping: count))
        return isOver ? (count < 0 ? .zero : .max) : SequenceNumber(clamping: sum)
    }
}

extension SequenceNumber: LosslessStringConvertible {
    /// The number in decimal digits.
    package var description: String { String(rawValue) }

    /// Reads decimal digits as ``description`` writes them: no sign, no leading zero, nothing around them.
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
    /// The place of a number written in code.
    package init(integerLiteral value: Int64) { self.init(clamping: value) }
}

extension SequenceNumber: Codable {
    /// Decodes a whole number, and refuses one outside the range.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let number = SequenceNumber(exactly: try container.decode(Int64.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "A place in the journal is a whole number from 0 to \(SequenceNumber.max).")
        }
        self = number
    }

    /// Writes the number.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension JSONValue {
    /// The place that a whole number stands for, if there is one.
    package var sequenceNumber: SequenceNumber? { integer.flatMap { SequenceNumber(exactly: $0) } }
}
