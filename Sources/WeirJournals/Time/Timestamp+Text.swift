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
        let civil = CivilDate(year: year, month: month, dayOfMonth: dayOfMonth)
        guard (1...12).contains(month), CivilDate(day: civil.day) == civil else { return nil }
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
}
