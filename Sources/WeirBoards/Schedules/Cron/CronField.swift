/// One field of a cron expression: which of its numbers are chosen.
///
/// As in crontab(5): `*`, a number, a name, a range `a-b`, a step `/n` behind `*` or a range, and lists of these with
/// commas. A step begins at the first number of its range.
struct CronField: Sendable, Hashable {
    /// Which of the five fields it is.
    enum Unit: Int, Sendable, CaseIterable {
        case minute, hour, dayOfMonth, month, dayOfWeek
    }

    /// A bit for each number that is chosen; Sunday is 0.
    let numbers: UInt64
    /// Whether it begins with `*`: with or without a step, as cron looks at no more than that.
    let isWildcard: Bool

    func contains(_ number: Int64) -> Bool { (0..<64).contains(number) && numbers & (1 << number) != 0 }

    /// Reads a field.
    init(_ text: Substring, _ unit: Unit) throws(ScheduleError) {
        var numbers: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            numbers |= try Self.numbers(of: part, unit)
        }
        // cron knows Sunday as 0 and 7.
        if unit == .dayOfWeek, numbers & 1 << 7 != 0 { numbers = numbers & ~(1 << 7) | 1 }
        self.numbers = numbers
        isWildcard = text.first == "*"
    }

    private static func numbers(of part: Substring, _ unit: Unit) throws(ScheduleError) -> UInt64 {
        guard !part.isEmpty else {
            throw ScheduleError("A list of \(unit.plural) has an empty place. Remove the comma that is too much.")
        }
        let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let range = try range(of: pieces.first ?? "", unit)
        guard pieces.count == 2, let last = pieces.last else { return bits(range, step: 1) }
        guard range.count > 1 else {
            throw ScheduleError(
                "\(ScheduleError.quoted(part)) has a step behind a single number. Write a range before it, such as "
                    + "\(range.lowerBound)-\(unit.numbers.upperBound)/\(ScheduleError.text(last)), or */\(ScheduleError.text(last))."
            )
        }
        guard let step = number(last), (1...range.count).contains(step) else {
            throw ScheduleError(
                "\(ScheduleError.quoted(part)) has a step that does not fit: a step here is a number from 1 to "
                    + "\(range.count - 1). For other lengths of time, use “every”, such as every: 90m.")
        }
        guard step < range.count else {
            throw ScheduleError(
                "\(ScheduleError.quoted(part)) steps over its whole range, so that only \(range.lowerBound) is chosen. "
                    + "Write \(range.lowerBound), or use “every”.")
        }
        return bits(range, step: step)
    }

    private static func range(of text: Substring, _ unit: Unit) throws(ScheduleError) -> ClosedRange<Int> {
        if text == "*" { return unit.numbers }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try value(ends.first ?? "", unit)
        guard ends.count == 2, let text = ends.last else { return first...first }
        var last = try value(text, unit)
        // A week may end on Sunday.
        if unit == .dayOfWeek, last == 0, first > 0 { last = 7 }
        guard first <= last else {
            throw ScheduleError(
                "\(ScheduleError.quoted("\(first)-\(last)")) ends before it begins. Write it in two parts: "
                    + "\(first)-\(unit.highest),\(unit.numbers.lowerBound)-\(last).")
        }
        return first...last
    }

    private static func value(_ text: Substring, _ unit: Unit) throws(ScheduleError) -> Int {
        if let number = number(text), unit.numbers.contains(number) { return number }
        let word = text.lowercased()
        if let index = unit.names.firstIndex(of: word) { return index + unit.numbers.lowerBound }
        throw ScheduleError("\(ScheduleError.quoted(text)) is not a \(unit.singular). \(unit.rule)")
    }

    /// A number of at most three digits.
    private static func number(_ text: Substring) -> Int? {
        guard (1...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    private static func bits(_ range: ClosedRange<Int>, step: Int) -> UInt64 {
        stride(from: range.lowerBound, through: range.upperBound, by: step).reduce(0) { $0 | 1 << UInt64(clamping: $1) }
    }
}

extension CronField.Unit {
    /// The numbers that a field takes.
    var numbers: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .dayOfMonth: 1...31
        case .month: 1...12
        case .dayOfWeek: 0...7
        }
    }

    /// The last number of a range that goes on from the first one.
    fileprivate var highest: Int { self == .dayOfWeek ? 6 : numbers.upperBound }

    fileprivate var names: [String] {
        switch self {
        case .minute, .hour, .dayOfMonth: []
        case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        }
    }

    fileprivate var singular: String {
        switch self {
        case .minute: "minute"
        case .hour: "hour"
        case .dayOfMonth: "day of the month"
        case .month: "month"
        case .dayOfWeek: "day of the week"
        }
    }

    fileprivate var plural: String {
        switch self {
        case .minute, .hour, .month: singular + "s"
        case .dayOfMonth: "days of the month"
        case .dayOfWeek: "days of the week"
        }
    }

    fileprivate var rule: String {
        switch self {
        case .minute: "Minutes are numbers from 0 to 59, ranges such as 0-29, or steps such as */15."
        case .hour: "Hours are numbers from 0 to 23, ranges such as 9-17, or steps such as */2."
        case .dayOfMonth: "Days of the month are numbers from 1 to 31. The signs ?, L, W and # are not known; use *."
        case .month: "Months are numbers from 1 to 12 or names from jan to dec."
        case .dayOfWeek:
            "Days of the week are numbers from 0 (Sunday) to 7 (Sunday again) or names from sun to sat. "
                + "The signs ?, L and # are not known; use *."
        }
    }
}

extension ScheduleError {
    /// A short text from outside without quotes.
    fileprivate static func text(_ text: Substring) -> String { String(quoted(text).dropFirst().dropLast()) }
}
