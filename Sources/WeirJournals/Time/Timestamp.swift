public import Foundation
import WeirStates

/// A point in time, in whole milliseconds since 1 January 1970, UTC.
///
/// This is the precision of a journal, so that times read back the same. It holds the years -999,999 to 999,999, which
/// is all that its text can express; anything beyond is clamped to that range, so that no arithmetic with times can
/// overflow.
public struct Timestamp: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// Milliseconds since 1 January 1970, UTC.
    package let milliseconds: Int64

    /// The valid range of milliseconds: from the beginning of the year -999,999 to the end of the year 999,999.
    static let range: ClosedRange<Int64> = -31_619_087_596_800_000...31_494_784_780_799_999

    /// Creates a time from milliseconds since 1970.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Creates a time from a date, truncated to the millisecond.
    public init(_ date: Date) {
        // A date is a floating-point number of seconds, so a whole millisecond may lie slightly below itself.
        self.init(milliseconds: Int64(clamping: (date.timeIntervalSince1970 * 1_000 + 0.05).rounded(.down)))
    }

    /// The time as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
    /// The time that many milliseconds later, clamped to the valid range.
    package func after(_ milliseconds: Int64) -> Timestamp {
        let (sum, isOver) = self.milliseconds.addingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: isOver ? (milliseconds < 0 ? .min : .max) : sum)
    }
    /// The time that many milliseconds earlier, clamped to the valid range.
    package func before(_ milliseconds: Int64) -> Timestamp {
        let (difference, isOver) = self.milliseconds.subtractingReportingOverflow(milliseconds)
        return Timestamp(milliseconds: isOver ? (milliseconds < 0 ? .max : .min) : difference)
    }
    /// The time from one moment to another, in milliseconds.
    package static func - (left: Timestamp, right: Timestamp) -> Int64 { left.milliseconds - right.milliseconds }

    /// Reads the ISO 8601 text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Timestamp(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is no ISO 8601 moment")
        }
        self = value
    }

    /// Writes the ISO 8601 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
