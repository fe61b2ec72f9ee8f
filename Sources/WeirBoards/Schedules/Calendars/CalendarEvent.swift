import Foundation
import WeirJournals

/// A date or local time of a calendar.
struct CalendarMoment: Sendable, Hashable {
    enum Clock: Sendable, Hashable {
        /// A whole day, in any zone.
        case day
        /// A local time, in any zone.
        case floating
        case zone(TimeZone)
    }

    /// The local time in seconds since 1970, as if it were UTC.
    var seconds: Int64
    let clock: Clock

    var day: Int64 { seconds.floorDivided(by: 86_400).quotient }

    /// The seconds since 1970 in a zone for times that have none.
    func instant(in zone: TimeZone) -> Int64 {
        let zone = if case .zone(let own) = clock { own } else { zone }
        let guess = seconds - zone.offset(at: seconds)
        return seconds - zone.offset(at: guess)
    }

    func local(in zone: TimeZone) -> Int64 {
        guard case .zone = clock else { return seconds }
        let instant = instant(in: zone)
        return instant + zone.offset(at: instant)
    }

    /// Parses `20261225`, `20261225T090000` or `20261225T090000Z`.
    init(_ text: some StringProtocol, of line: CalendarLine) throws(EventCalendar.Mistake) {
        let bytes = Array(text.utf8)
        let isDay = bytes.count == 8
        let isUTC = bytes.count == 16 && bytes.last == UInt8(ascii: "Z")
        guard isDay || bytes.count == 15 || isUTC, isDay || bytes[8] == UInt8(ascii: "T") else {
            throw line.mistake("This is no date such as 20261225, and no time such as 20261225T090000Z.")
        }
        let number = { (range: Range<Int>) -> Int64? in
            let digits = bytes[range]
            guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else { return nil }
            return Int64(String(decoding: digits, as: UTF8.self))
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8), year >= 1,
            let date = CalendarRule.day(year, month, day)
        else { throw line.mistake("There is no such day.") }
        if isDay {
            (seconds, clock) = (date * 86_400, .day)
            return
        }
        guard let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15), hour < 24,
            minute < 60, second <= 60
        else { throw line.mistake("There is no such time.") }
        seconds = date * 86_400 + hour * 3_600 + minute * 60 + second
        if isUTC {
            clock = .zone(.gmt)
        } else if let name = line.parameters["TZID"] {
            guard let zone = Self.zone(name) else {
                throw line.mistake("The time zone is unknown. Zones are named like Europe/Lisbon or America/Sao_Paulo.")
            }
            clock = .zone(zone)
        } else {
            clock = .floating
        }
    }

    init(seconds: Int64, clock: Clock) { (self.seconds, self.clock) = (seconds, clock) }

    /// The zone of a name, which some programs write behind a path of their own.
    private static func zone(_ name: String) -> TimeZone? {
        let words = name.split(separator: "/").suffix(3)
        for skipped in words.indices {
            if let zone = Schedule.plainZone(words[skipped...].joined(separator: "/")) { return zone }
        }
        return nil
    }
}

/// The time of an event.
struct CalendarSpan: Sendable, Hashable {
    let start: CalendarMoment
    /// The duration in seconds; 0 for a moment.
    let length: Int64

    func days(in zone: TimeZone) -> ClosedRange<Int64> {
        let first = start.local(in: zone).floorDivided(by: 86_400).quotient
        var end = start
        end.seconds += max(length - 1, 0)
        return first...max(first, end.local(in: zone).floorDivided(by: 86_400).quotient)
    }
}

/// An event of a calendar, with its repetitions.
struct CalendarEvent: Sendable {
    private let line: CalendarLine
    private var start: CalendarMoment?
    private var end: CalendarMoment?
    private var length: Int64?
    private var rules: [CalendarRule] = []
    private var added: [CalendarMoment] = []
    private var excluded: [CalendarMoment] = []
    private(set) var id = ""
    /// The time in its series that the event replaces, or nil.
    private(set) var replaced: CalendarMoment?
    private(set) var isCancelled = false

    init(line: CalendarLine) { self.line = line }

    mutating func take(_ line: CalendarLine) throws(EventCalendar.Mistake) {
        switch line.name {
        case "UID": id = line.value
        case "DTSTART": start = try CalendarMoment(line.value, of: line)
        case "DTEND": end = try CalendarMoment(line.value, of: line)
        case "DURATION": length = try Self.duration(line)
        case "RRULE": rules.append(try CalendarRule(line))
        case "RDATE": added += try Self.moments(line)
        case "EXDATE": excluded += try Self.moments(line)
        case "RECURRENCE-ID":
            guard line.parameters["RANGE"] == nil else { throw line.mistake("RANGE is not supported.") }
            replaced = try CalendarMoment(line.value, of: line)
        case "EXRULE": throw line.mistake("EXRULE is not supported. Write the days with EXDATE.")
        case "STATUS": isCancelled = line.value.uppercased() == "CANCELLED"
        default: break
        }
    }

    private static func moments(_ line: CalendarLine) throws(EventCalendar.Mistake) -> [CalendarMoment] {
        var moments: [CalendarMoment] = []
        for text in line.value.split(separator: ",") { moments.append(try CalendarMoment(text, of: line)) }
        return moments
    }

    /// Parses a duration such as `P1D`, `P2W` or `P1DT12H30M`.
    private static func duration(_ line: CalendarLine) throws(EventCalendar.Mistake) -> Int64 {
        let units: [Character: Int64] = ["W": 604_800, "D": 86_400, "H": 3_600, "M": 60, "S": 1]
        let mistake = line.mistake("This is no duration such as P1D or PT12H.")
        var text = line.value.uppercased()[...]
        if text.first == "+" { text = text.dropFirst() }
        guard text.popFirst() == "P", text.contains(where: \.isNumber) else { throw mistake }
        var length: Int64 = 0
        while let first = text.first {
            if first == "T" {
                text = text.dropFirst()
                continue
            }
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            text = text.dropFirst(digits.count)
            guard digits.utf8.count <= 6, let count = Int64(digits), let unit = text.popFirst().flatMap({ units[$0] })
            else { throw mistake }
            length += count * unit
        }
        return length
    }

    /// The times of the event and of its repetitions, without those that other events of its series replace.
    func spans(
        without replaced: [CalendarMoment], _ budget: inout CalendarBudget
    ) throws(EventCalendar.Mistake) -> [CalendarSpan] {
        guard let start else { throw line.mistake("The event has no DTSTART.") }
        let length = try length(from: start)
        var starts: Set<Int64> = [start.seconds]
        for rule in rules { starts.formUnion(try rule.starts(from: start, &budget)) }
        // Values of another zone or kind are compared in the zone of the series.
        let comparable = { (moment: CalendarMoment) -> Int64 in
            if case .zone(let zone) = start.clock { return moment.local(in: zone) }
            return moment.seconds
        }
        starts.formUnion(added.map(comparable))
        let gone = excluded + replaced
        starts.subtract(gone.filter { $0.clock != .day || start.clock == .day }.map(comparable))
        let days = Set(gone.filter { $0.clock == .day && start.clock != .day }.map(\.day))
        if !days.isEmpty { starts = starts.filter { !days.contains($0.floorDivided(by: 86_400).quotient) } }
        budget.events -= starts.count
        guard budget.events >= 0 else {
            throw line.mistake("The events and their repetitions are more than \(EventCalendar.maximumEvents).")
        }
        return starts.sorted().map {
            CalendarSpan(start: CalendarMoment(seconds: $0, clock: start.clock), length: length)
        }
    }

    private func length(from start: CalendarMoment) throws(EventCalendar.Mistake) -> Int64 {
        let least: Int64 = start.clock == .day ? 86_400 : 0
        let length = end.map { $0.instant(in: .gmt) - start.instant(in: .gmt) } ?? length ?? least
        guard length >= 0, length <= 366 * 86_400 else {
            throw line.mistake("The event ends before it begins, or lasts longer than a year.")
        }
        return max(length, least)
    }
}
