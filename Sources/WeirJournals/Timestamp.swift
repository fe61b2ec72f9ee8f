public import Foundation
import WeirStates

/// A point in time, in whole milliseconds since 1 January 1970, UTC.
///
/// This is the precision of a journal, so times round-trip. The range is the years -999,999 to 999,999, which is all
/// that the text can express; values beyond it are clamped, so arithmetic never overflows.
public struct Timestamp: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// Milliseconds since 1 January 1970, UTC.
    package let milliseconds: Int64

    /// The valid range of milliseconds: from the beginning of the year -999,999 to the end of the year 999,999.
    static let range: ClosedRange<Int64> = -31_619_087_596_800_000...31_494_784_780_799_999

    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Creates a time from a date, truncated to the millisecond.
    public init(_ date: Date) {
        // A date is a floating-point number of seconds, so a whole millisecond may be represented slightly too small.
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

extension Timestamp {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// ISO 8601 in UTC with milliseconds, such as `2026-11-21T11:39:23.123Z`; years beyond four digits have a sign.
    public var description: String {
        let (day, time) = milliseconds.floorDivided(by: Self.millisecondsPerDay)
        let civil = CivilDate(day: day)
        let year =
            (0...9_999).contains(civil.year)
            ? Self.padded(civil.year, 4) : (civil.year < 0 ? "-" : "+") + Self.padded(abs(civil.year), 6)
        let date = "\(year)-\(Self.padded(civil.month, 2))-\(Self.padded(civil.dayOfMonth, 2))"
        let clock = "\(Self.padded(time / 3_600_000, 2)):\(Self.padded(time / 60_000 % 60, 2))"
        return "\(date)T\(clock):\(Self.padded(time / 1_000 % 60, 2)).\(Self.padded(time % 1_000, 3))Z"
    }

    /// Parses ISO 8601 with seconds, with or without a fraction, with `Z` or an offset such as `+02:00`.
    ///
    /// Returns nil for anything else, such as 30 February, and for a time outside the valid range. A fraction is
    /// truncated to milliseconds.
    package init?(_ text: String) {
        var rest = Substring(text).utf8
        guard let year = Self.year(&rest), Self.take("-", &rest), let month = Self.number(&rest, 2),
            Self.take("-", &rest), let dayOfMonth = Self.number(&rest, 2), Self.take("T", &rest),
            let hour = Self.number(&rest, 2), Self.take(":", &rest), let minute = Self.number(&rest, 2),
            Self.take(":", &rest), let second = Self.number(&rest, 2), let fraction = Self.fraction(&rest),
            let offset = Self.offset(&rest), rest.isEmpty, hour < 24, minute < 60, second < 60
        else { return nil }
        let civil = CivilDate(year: year, month: month, dayOfMonth: dayOfMonth)
        guard (1...12).contains(month), CivilDate(day: civil.day) == civil else { return nil }
        let time = ((hour * 60 + minute - offset) * 60 + second) * 1_000 + fraction
        let milliseconds = civil.day * Self.millisecondsPerDay + time
        guard Self.range.contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    // MARK: Parsing

    private static func year(_ rest: inout Substring.UTF8View) -> Int64? {
        if take("+", &rest) { return number(&rest, 6) }
        if take("-", &rest) { return number(&rest, 6).map { -$0 } }
        return number(&rest, 4)
    }

    private static func fraction(_ rest: inout Substring.UTF8View) -> Int64? {
        guard take(".", &rest) else { return 0 }
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        var milliseconds = digits.prefix(3)
        guard var value = number(&milliseconds, milliseconds.count) else { return nil }
        for _ in digits.count..<max(3, digits.count) { value *= 10 }
        return value
    }

    /// Minutes east of Greenwich.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int64? {
        guard !take("Z", &rest) else { return 0 }
        let isEast = take("+", &rest)
        guard isEast || take("-", &rest), let hours = number(&rest, 2) else { return nil }
        _ = take(":", &rest)
        guard let minutes = number(&rest, 2), hours < 24, minutes < 60 else { return nil }
        return (isEast ? 1 : -1) * (hours * 60 + minutes)
    }

    private static func number(_ rest: inout Substring.UTF8View, _ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard count > 0, digits.count == count, digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private static func take(_ character: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    // MARK: Formatting

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A date of the proleptic Gregorian calendar, as in ISO 8601.
///
/// The arithmetic on years that begin in March is Howard Hinnant's, from "chrono-Compatible Low-Level Date
/// Algorithms".
package struct CivilDate: Sendable, Hashable {
    /// The year; 0 is 1 BC.
    package let year: Int64
    /// The month, from 1.
    package let month: Int64
    /// The day of the month, from 1.
    package let dayOfMonth: Int64

    package init(year: Int64, month: Int64, dayOfMonth: Int64) {
        self.year = year
        self.month = month
        self.dayOfMonth = dayOfMonth
    }

    /// Creates a date from the number of days since 1 January 1970.
    package init(day: Int64) {
        let (era, dayOfEra) = (day + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1 January 1970.
    package var day: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).floorDivided(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

extension Int64 {
    /// The quotient rounded down, and the non-negative remainder; the divisor must be positive.
    package func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
