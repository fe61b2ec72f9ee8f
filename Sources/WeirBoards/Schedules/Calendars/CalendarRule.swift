import WeirJournals

/// The rule of a repeated event: `FREQ=YEARLY;BYMONTH=5;BYDAY=1MO`.
struct CalendarRule: Sendable, Hashable {
    private enum Frequency: String {
        case daily = "DAILY"
        case weekly = "WEEKLY"
        case monthly = "MONTHLY"
        case yearly = "YEARLY"
    }

    private struct Weekday: Sendable, Hashable {
        /// Its number in the month or year, negative from the end; nil for each.
        let ordinal: Int64?
        /// The day of the week, from 0 for Sunday.
        let day: Int64
    }

    private let line: CalendarLine
    private var frequency = Frequency.yearly
    private var interval: Int64 = 1
    private var count: Int64?
    private var until: CalendarMoment?
    private var weekdays: [Weekday] = []
    private var months: [Int64] = []
    private var monthDays: [Int64] = []
    private var positions: [Int64] = []
    private var weekStart: Int64 = 1

    init(_ line: CalendarLine) throws(EventCalendar.Mistake) {
        self.line = line
        var hasFrequency = false
        for part in line.value.uppercased().split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { throw line.mistake("A part of the rule has no value.") }
            let value = pair[1]
            switch pair[0] {
            case "FREQ":
                guard let known = Frequency(rawValue: String(value)) else {
                    throw line.mistake("FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY.")
                }
                (frequency, hasFrequency) = (known, true)
            case "INTERVAL": interval = try number(value, 1...10_000)
            case "COUNT": count = try number(value, 1...1_000_000)
            case "UNTIL": until = try CalendarMoment(value, of: line)
            case "BYMONTH": months = try numbers(value, 1...12)
            case "BYMONTHDAY": monthDays = try numbers(value, -31...31)
            case "BYSETPOS": positions = try numbers(value, -366...366)
            case "BYDAY":
                for text in value.split(separator: ",") {
                    let weekday = try weekday(text)
                    if !weekdays.contains(weekday) { weekdays.append(weekday) }
                }
            case "WKST": weekStart = try weekday(value).day
            default:
                guard pair[0].hasPrefix("X-") else {
                    throw line.mistake(
                        "Rules with \(pair[0].prefix(12).filter(\.isLetter)) are not supported. Write the days with RDATE."
                    )
                }
            }
        }
        guard hasFrequency else { throw line.mistake("The rule has no FREQ, such as FREQ=YEARLY.") }
        guard [.monthly, .yearly].contains(frequency) || weekdays.allSatisfy({ $0.ordinal == nil }) else {
            throw line.mistake("Weekdays have numbers only with FREQ=MONTHLY and FREQ=YEARLY.")
        }
    }

    private func number(_ text: Substring, _ range: ClosedRange<Int64>) throws(EventCalendar.Mistake) -> Int64 {
        guard text.utf8.count <= 8, let number = Int64(text), range.contains(number) else {
            throw line.mistake("A number of the rule is not between \(range.lowerBound) and \(range.upperBound).")
        }
        return number
    }

    private func numbers(_ text: Substring, _ range: ClosedRange<Int64>) throws(EventCalendar.Mistake) -> [Int64] {
        var numbers: [Int64] = []
        for part in text.split(separator: ",").prefix(400) { numbers.append(try number(part, range)) }
        guard !numbers.contains(0) else { throw line.mistake("A number of the rule is 0.") }
        return numbers
    }

    private func weekday(_ text: Substring) throws(EventCalendar.Mistake) -> Weekday {
        let names = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"]
        guard let day = names.firstIndex(of: String(text.suffix(2))) else {
            throw line.mistake("A weekday of the rule is none of SU, MO, TU, WE, TH, FR and SA.")
        }
        let digits = text.dropLast(2)
        let ordinal = digits.isEmpty ? nil : try number(digits, -53...53)
        guard ordinal != 0 else { throw line.mistake("A number of the rule is 0.") }
        return Weekday(ordinal: ordinal, day: Int64(day))
    }

    // MARK: Days

    /// The local starts of a series, from 1970 to 2099.
    func starts(from start: CalendarMoment, _ budget: inout CalendarBudget) throws(EventCalendar.Mistake) -> [Int64] {
        let (first, time) = (start.day, start.seconds.floorDivided(by: 86_400).remainder)
        let last = last(for: start)
        // The first event counts, also if it does not follow the rule.
        var left = (count ?? .max) - 1
        var starts: [Int64] = []
        var period: Int64 = 0
        while left > 0 {
            budget.periods -= 1
            guard budget.periods >= 0 else {
                throw line.mistake("The repetitions of the calendar take too long to find. Divide it.")
            }
            let (begin, days) = days(ofPeriod: period, from: first)
            guard begin <= EventCalendar.known.upperBound else { break }
            for day in selected(days) where day > first && left > 0 {
                let seconds = day * 86_400 + time
                guard seconds <= last else { return starts }
                left -= 1
                guard EventCalendar.known.contains(day) else { continue }
                starts.append(seconds)
                guard starts.count <= EventCalendar.maximumEvents else {
                    throw line.mistake("The repetitions are more than \(EventCalendar.maximumEvents).")
                }
            }
            period += 1
        }
        return starts
    }

    /// The last local start that `until` allows.
    private func last(for start: CalendarMoment) -> Int64 {
        guard let until else { return .max }
        if until.clock == .day || start.clock == .day { return until.day * 86_400 + 86_399 }
        if case .zone(let zone) = start.clock { return until.local(in: zone) }
        return until.seconds
    }

    private func selected(_ days: Set<Int64>) -> [Int64] {
        let days = days.sorted()
        guard !positions.isEmpty else { return days }
        let chosen = Set(positions.map { $0 > 0 ? $0 - 1 : Int64(days.count) + $0 })
        return days.enumerated().filter { chosen.contains(Int64($0.offset)) }.map(\.element)
    }

    /// The first day of a period, and the days in it that follow the rule.
    private func days(ofPeriod number: Int64, from first: Int64) -> (begin: Int64, days: Set<Int64>) {
        let date = CivilDate(day: first)
        switch frequency {
        case .daily:
            let day = first + number * interval
            let fits = weekdays.isEmpty || weekdays.contains { $0.day == Self.weekday(day) }
            return (day, fits && isInMonths(day) && isInMonthDays(day) ? [day] : [])
        case .weekly:
            let begin = first - (Self.weekday(first) - weekStart + 7) % 7 + number * interval * 7
            let wanted = weekdays.isEmpty ? [Self.weekday(first)] : weekdays.map(\.day)
            return (begin, Set((begin..<begin + 7).filter { wanted.contains(Self.weekday($0)) && isInMonths($0) }))
        case .monthly:
            let (years, month) = (date.month - 1 + number * interval).floorDivided(by: 12)
            let year = date.year + years
            let begin = Self.day(year, month + 1, 1) ?? first
            guard months.isEmpty || months.contains(month + 1) else { return (begin, []) }
            return (begin, days(ofMonth: month + 1, year, elseOn: date.dayOfMonth))
        case .yearly:
            let year = date.year + number * interval
            let begin = Self.day(year, 1, 1) ?? first
            if months.isEmpty, monthDays.isEmpty, !weekdays.isEmpty {
                return (begin, days(from: begin, to: Self.day(year, 12, 31) ?? begin))
            }
            let all = monthDays.isEmpty ? [date.month] : Array(1...12)
            return (
                begin,
                (months.isEmpty ? all : months).reduce(into: []) {
                    $0.formUnion(days(ofMonth: $1, year, elseOn: date.dayOfMonth))
                }
            )
        }
    }

    /// The days of a month by their numbers and weekdays, or else one day.
    private func days(ofMonth month: Int64, _ year: Int64, elseOn day: Int64) -> Set<Int64> {
        guard let begin = Self.day(year, month, 1) else { return [] }
        let length = (28...31).last { Self.day(year, month, $0) != nil } ?? 28
        if monthDays.isEmpty {
            guard weekdays.isEmpty else { return days(from: begin, to: begin + length - 1) }
            return day <= length ? [begin + day - 1] : []
        }
        let numbers = monthDays.map { $0 > 0 ? $0 : length + 1 + $0 }.filter { (1...length).contains($0) }
        let days = Set(numbers.map { begin + $0 - 1 })
        return weekdays.isEmpty ? days : days.intersection(self.days(from: begin, to: begin + length - 1))
    }

    /// The weekdays of the rule in a month or year.
    private func days(from begin: Int64, to end: Int64) -> Set<Int64> {
        weekdays.reduce(into: []) { days, weekday in
            let first = begin + (weekday.day - Self.weekday(begin) + 7) % 7
            let all = Array(stride(from: first, through: end, by: 7))
            guard let ordinal = weekday.ordinal else { return days.formUnion(all) }
            let index = Int(ordinal > 0 ? ordinal - 1 : Int64(all.count) + ordinal)
            if all.indices.contains(index) { days.insert(all[index]) }
        }
    }

    private func isInMonths(_ day: Int64) -> Bool { months.isEmpty || months.contains(CivilDate(day: day).month) }

    private func isInMonthDays(_ day: Int64) -> Bool {
        guard !monthDays.isEmpty else { return true }
        let date = CivilDate(day: day)
        let length = (28...31).last { Self.day(date.year, date.month, $0) != nil } ?? 28
        return monthDays.contains(date.dayOfMonth) || monthDays.contains(date.dayOfMonth - length - 1)
    }

    private static func weekday(_ day: Int64) -> Int64 { (day + 4).floorDivided(by: 7).remainder }

    /// A day since 1 January 1970, or nil if the calendar has no such day.
    static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        let found = CivilDate(year: year, month: month, dayOfMonth: day).day
        let date = CivilDate(day: found)
        return date.month == month && date.dayOfMonth == day ? found : nil
    }
}
