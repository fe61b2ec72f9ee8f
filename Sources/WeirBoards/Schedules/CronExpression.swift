import WeirJournals

/// A parsed cron expression: minute, hour, day of the month, month and day of the week, in local time.
///
/// The rules are those of Vixie cron as Debian ships it, crontab(5) and cron(8). Two of them are surprising. If both
/// the day of the month and the day of the week are restricted, a day matches if either matches; if one of them begins
/// with `*`, both must match. When the clock changes by less than three hours, a job at a fixed time runs exactly once,
/// while a job whose minute or hour begins with `*` follows the clock.
struct CronExpression: Sendable, Hashable {
    let minute: CronField
    let hour: CronField
    let dayOfMonth: CronField
    let month: CronField
    let dayOfWeek: CronField

    static let nicknames = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    /// Parses five fields, or a nickname such as `@daily`.
    init(_ text: String) throws(ScheduleError) {
        guard text.utf8.count <= 1_024 else {
            throw ScheduleError("A cron expression of \(text.utf8.count) bytes is too long: it has at most 1024.")
        }
        let words = text.split { $0 == " " || $0 == "\t" }
        if let word = words.first, words.count == 1, word.hasPrefix("@") {
            self = try Self(nickname: word)
            return
        }
        guard words.count == 5 else { throw Self.wrongCount(words, in: text) }
        minute = try CronField(words[0], .minute)
        hour = try CronField(words[1], .hour)
        dayOfMonth = try CronField(words[2], .dayOfMonth)
        month = try CronField(words[3], .month)
        dayOfWeek = try CronField(words[4], .dayOfWeek)
        guard canCome else {
            throw ScheduleError(
                "\(ScheduleError.quoted(text)) never comes: none of its months has such a day. "
                    + "Choose a day that the month has; 28 is in every month.")
        }
    }

    private init(nickname: Substring) throws(ScheduleError) {
        guard let text = Self.nicknames[nickname.lowercased()] else {
            let names = Self.nicknames.keys.sorted().joined(separator: ", ")
            throw ScheduleError(
                "\(ScheduleError.quoted(nickname)) is no time of its own. The names for times are \(names).")
        }
        self = try Self(text)
    }

    private static func wrongCount(_ words: [Substring], in text: String) -> ScheduleError {
        let example = "such as “30 3 * * *” for 3:30 every day"
        guard words.count == 6 else {
            return ScheduleError(
                "A cron expression has five fields (minute, hour, day of the month, month, day of the week), \(example); "
                    + "\(ScheduleError.quoted(text)) has \(words.count).")
        }
        return ScheduleError(
            "\(ScheduleError.quoted(text)) has six fields. A cron expression has five, without seconds and without a year, "
                + "\(example); for seconds, use “every”, such as every: 30s.")
    }

    /// Whether the job runs at a fixed time, so that clock changes neither skip nor repeat it.
    var isFixed: Bool { !minute.isWildcard && !hour.isWildcard }

    /// Whether a day matches, given in days since 1 January 1970.
    func matches(day: Int64) -> Bool { matches(CivilDate(day: day), day: day) }

    func matches(_ date: CivilDate, day: Int64) -> Bool {
        guard month.contains(date.month) else { return false }
        // 1 January 1970 was a Thursday.
        let isOfWeek = dayOfWeek.contains((day + 4).floorDivided(by: 7).remainder)
        let isOfMonth = dayOfMonth.contains(date.dayOfMonth)
        return needsBoth ? isOfWeek && isOfMonth : isOfWeek || isOfMonth
    }

    private var needsBoth: Bool { dayOfMonth.isWildcard || dayOfWeek.isWildcard }

    /// Whether any day ever matches.
    private var canCome: Bool {
        // 29 February falls on every day of the week within 400 years.
        let lengths: [Int64] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return !needsBoth
            || zip(1..., lengths).contains { number, length in
                month.contains(number) && (1...length).contains { dayOfMonth.contains($0) }
            }
    }
}

/// One field of a cron expression, as the set of numbers that match.
///
/// As in crontab(5): `*`, a number, a name, a range `a-b`, a step `/n` after `*` or a range, and comma-separated lists
/// of these. A step starts at the first number of its range.
struct CronField: Sendable, Hashable {
    enum Unit: Int, Sendable, CaseIterable {
        case minute, hour, dayOfMonth, month, dayOfWeek
    }

    /// One bit for each matching number; Sunday is 0.
    let numbers: UInt64
    /// Whether the field begins with `*`, with or without a step: cron checks only the first character.
    let isWildcard: Bool

    func contains(_ number: Int64) -> Bool { (0..<64).contains(number) && numbers & (1 << number) != 0 }

    init(_ text: Substring, _ unit: Unit) throws(ScheduleError) {
        var numbers: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            numbers |= try Self.numbers(of: part, unit)
        }
        // cron accepts both 0 and 7 as Sunday.
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
        // A range of weekdays can end on Sunday.
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
    var numbers: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .dayOfMonth: 1...31
        case .month: 1...12
        case .dayOfWeek: 0...7
        }
    }

    /// The last number of a range that continues from the first number after it.
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
    /// The quoted text without its quotation marks.
    fileprivate static func text(_ text: Substring) -> String { String(quoted(text).dropFirst().dropLast()) }
}
