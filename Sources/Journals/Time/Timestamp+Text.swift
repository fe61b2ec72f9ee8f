extension Timestamp {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// ISO 8601 in UTC with milliseconds, such as `2026-11-21T11:39:23.123Z`; years beyond four digits have a sign.
    public var description: String {
        let (day, time) = Self.floorDivide(milliseconds, by: Self.millisecondsPerDay)
        let civil = Civil(day: day)
        let year =
            (0...9_999).contains(civil.year)
            ? Self.padded(civil.year, 4) : (civil.year < 0 ? "-" : "+") + Self.padded(abs(civil.year), 6)
        let date = "\(year)-\(Self.padded(civil.month, 2))-\(Self.padded(civil.dayOfMonth, 2))"
        let clock = "\(Self.padded(time / 3_600_000, 2)):\(Self.padded(time / 60_000 % 60, 2))"
        return "\(date)T\(clock):\(Self.padded(time / 1_000 % 60, 2)).\(Self.padded(time % 1_000, 3))Z"
    }

    /// Reads ISO 8601 with seconds, with or without a fraction, with `Z` or an offset such as `+02:00`.
    ///
    /// Nil for anything else, such as 30 February, and for a time whose year in UTC has more than six digits, because
    /// its own text could not be read again. A fraction is truncated to milliseconds.
    package init?(_ text: String) {
        var rest = Substring(text).utf8
        guard let year = Self.year(&rest), Self.take("-", &rest), let month = Self.number(&rest, 2),
            Self.take("-", &rest), let dayOfMonth = Self.number(&rest, 2), Self.take("T", &rest),
            let hour = Self.number(&rest, 2), Self.take(":", &rest), let minute = Self.number(&rest, 2),
            Self.take(":", &rest), let second = Self.number(&rest, 2), let fraction = Self.fraction(&rest),
            let offset = Self.offset(&rest), rest.isEmpty, hour < 24, minute < 60, second < 60
        else { return nil }
        let civil = Civil(year: year, month: month, dayOfMonth: dayOfMonth)
        guard (1...12).contains(month), Civil(day: civil.day) == civil else { return nil }
        let time = ((hour * 60 + minute - offset) * 60 + second) * 1_000 + fraction
        let milliseconds = civil.day * Self.millisecondsPerDay + time
        guard Self.range.contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    // MARK: Reading

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

    // MARK: Writing

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    // MARK: The calendar

    /// A day of the Gregorian calendar, extended back before its beginning as in ISO 8601.
    ///
    /// The arithmetic on years that begin in March is Howard Hinnant's, of "chrono-Compatible Low-Level Date
    /// Algorithms".
    private struct Civil: Equatable {
        var year: Int64
        var month: Int64
        var dayOfMonth: Int64

        init(year: Int64, month: Int64, dayOfMonth: Int64) {
            self.year = year
            self.month = month
            self.dayOfMonth = dayOfMonth
        }

        /// The day that many days after 1 January 1970.
        init(day: Int64) {
            let (era, dayOfEra) = floorDivide(day + 719_468, by: 146_097)
            let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
            let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
            let marchMonth = (5 * dayOfYear + 2) / 153
            dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
            month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
            year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        }

        /// The number of days since 1 January 1970.
        var day: Int64 {
            let (era, yearOfEra) = floorDivide(month <= 2 ? year - 1 : year, by: 400)
            let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
            return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        }
    }

    private static func floorDivide(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
