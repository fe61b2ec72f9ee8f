import WeirJournals

/// A moment as a calendar and a clock show it in UTC; computed here, so that every machine writes it alike and at little cost.
struct CivilTime {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int
    let millisecond: Int

    init(_ moment: Timestamp) {
        let (days, rest) = Self.floored(moment.milliseconds, by: 86_400_000)
        hour = Int(clamping: rest / 3_600_000)
        minute = Int(clamping: rest / 60_000 % 60)
        second = Int(clamping: rest / 1_000 % 60)
        millisecond = Int(clamping: rest % 1_000)
        // Howard Hinnant, chrono-Compatible Low-Level Date Algorithms, civil_from_days: years begin in March.
        let shifted = Int(clamping: days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// ISO 8601 in UTC with milliseconds.
    var iso: String {
        "\(Self.padded(year, 4))-\(Self.padded(month))-\(Self.padded(day))T\(clock).\(Self.padded(millisecond, 3))Z"
    }

    /// Hours, minutes and seconds.
    var clock: String { "\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second))" }

    private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, rest: Int64) {
        let rest = (value % divisor + divisor) % divisor
        return ((value - rest) / divisor, rest)
    }

    private static func padded(_ value: Int, _ width: Int = 2) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
