import WeirJournals

/// When a job is due by the clock on the wall: minute, hour, day of the month, month and day of the week.
///
/// The rules are those of Vixie cron as Debian ships it, crontab(5) and cron(8). Two of them surprise. If both the day of
/// the month and the day of the week are given, a day is chosen that either names; if one of them begins with `*`, both
/// must name it. And where the clock changes by less than three hours, a job at a fixed time runs once, while a job whose
/// minute or hour begins with `*` follows the clock.
struct CronExpression: Sendable, Hashable {
    let minute: CronField
    let hour: CronField
    let dayOfMonth: CronField
    let month: CronField
    let dayOfWeek: CronField

    private static let nicknames = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    /// Reads five fields, or a nickname such as `@daily`.
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

    /// Whether the job runs at a fixed time, so that changes of the clock do not skip or repeat it.
    var isFixed: Bool { !minute.isWildcard && !hour.isWildcard }

    /// Whether a day is chosen, given as days since 1 January 1970.
    func matches(day: Int64) -> Bool { matches(CivilDate(day: day), day: day) }

    /// Whether a day is chosen, given its date as well.
    func matches(_ date: CivilDate, day: Int64) -> Bool {
        guard month.contains(date.month) else { return false }
        // 1 January 1970 was a Thursday.
        let isOfWeek = dayOfWeek.contains((day + 4).floorDivided(by: 7).remainder)
        let isOfMonth = dayOfMonth.contains(date.dayOfMonth)
        return needsBoth ? isOfWeek && isOfMonth : isOfWeek || isOfMonth
    }

    private var needsBoth: Bool { dayOfMonth.isWildcard || dayOfWeek.isWildcard }

    /// Whether there is a day that is chosen, sooner or later.
    private var canCome: Bool {
        // 29 February falls on every day of the week within 400 years.
        let lengths: [Int64] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return !needsBoth
            || zip(1..., lengths).contains { number, length in
                month.contains(number) && (1...length).contains { dayOfMonth.contains($0) }
            }
    }
}
