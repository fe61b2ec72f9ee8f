public import Foundation

/// A moment, as whole milliseconds since 1 January 1970, UTC.
///
/// What a journal keeps, so that it reads back the same.
public struct Timestamp: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// Milliseconds since 1 January 1970, UTC.
    public let milliseconds: Int64

    /// Makes a moment from milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Makes a moment from a date, cut to the millisecond.
    public init(_ date: Date) {
        // A date is a floating point number of seconds, so that a whole millisecond may lie a hair below itself.
        milliseconds = Int64((date.timeIntervalSince1970 * 1_000 + 0.05).rounded(.down))
    }

    /// The moment as a date.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// Earlier comes first.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
    /// The time from one moment to another, in milliseconds.
    public static func - (left: Timestamp, right: Timestamp) -> Int64 { left.milliseconds - right.milliseconds }

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
