package import Foundation
package import WeirJournals
import WeirStates

/// When to start something: by a cron expression in a time zone, at a regular interval, or by several of these.
///
/// A schedule is a value without a clock: equal schedules give equal times in every process.
public struct Schedule: Sendable, Hashable {
    /// How to handle times that passed while the server could not start anything.
    package enum CatchUp: String, Sendable, CaseIterable {
        /// Start once, for the newest time.
        case once
        case skip
        /// Start once for each time, at most for the newest hundred.
        case all
    }

    indirect enum Timing: Sendable, Hashable {
        case cron(CronClock)
        case every(seconds: Int64)
        case several([Schedule])
    }

    /// The cron expression or interval, as configured.
    package let text: String
    package let zone: TimeZone
    /// The maximum delay of a start in milliseconds, which spreads starts at the same time.
    package let randomDelay: Int64
    package let catchUp: CatchUp
    let timing: Timing
    /// The days of the zone on which there are times.
    package var days = ScheduleDays.all
    /// The delay in milliseconds after which a time is missed instead of started late; nil for none.
    private(set) var startBy: Int64?

    /// Parses a cron expression: five fields, or a name such as `@daily`.
    ///
    /// - Parameters:
    ///   - cron: Minute, hour, day of the month, month, day of the week, as in crontab(5).
    ///   - timezone: The time zone of the expression, such as `Europe/Lisbon`; UTC if nil.
    ///   - randomDelay: The maximum delay of a start, such as `5m`: at most a day, and shorter than the time between
    ///     two starts. The delay depends only on the operation and the time, so it is the same in every process.
    ///   - catchUp: `once`, `skip` or `all`; `once` if nil.
    /// - Throws: `ScheduleError`, a sentence that says what to write instead.
    public init(
        cron: String, timezone: String? = nil, randomDelay: String? = nil, catchUp: String? = nil
    ) throws(ScheduleError) {
        text = cron.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        zone = try Self.zone(timezone ?? "UTC")
        timing = .cron(CronClock(expression: try CronExpression(cron), zone: zone))
        self.catchUp = try Self.catchUp(catchUp)
        self.randomDelay = try Self.delay(randomDelay, atMost: 86_400, "a day")
        let gap = self.randomDelay > 0 ? shortestGap : .max
        guard self.randomDelay < gap else {
            throw ScheduleError(
                "“random_delay” is \(ScheduleError.quoted(randomDelay ?? "")), which is not shorter than the time between two "
                    + "starts. Write less than \(gap / 60_000)m.")
        }
    }

    /// The shortest time between two starts, in milliseconds.
    private var shortestGap: Int64 {
        // Every hour has the same minutes, so one hour and the step to the next one contain the shortest gap.
        let times = upcoming(after: Timestamp(milliseconds: 1_767_225_599_000), count: 64)
        return zip(times, times.dropFirst()).map { $1 - $0 }.min() ?? .max
    }

    /// Parses an interval.
    ///
    /// Starts are at the multiples of the interval since 1 January 1970, UTC: those of `15m` are at the quarter hours,
    /// independent of when the server was started.
    ///
    /// - Parameters:
    ///   - every: A number with s, m, h, d or w, such as `15m`; at most `366d`.
    ///   - randomDelay: The maximum delay of a start; shorter than the interval, and at most a day.
    ///   - catchUp: `once`, `skip` or `all`; `once` if nil.
    /// - Throws: `ScheduleError`, a sentence that says what to write instead.
    public init(every: String, randomDelay: String? = nil, catchUp: String? = nil) throws(ScheduleError) {
        let interval = try ScheduleDuration(every, key: "every").seconds
        text = "every " + every
        zone = .gmt
        timing = .every(seconds: interval)
        self.catchUp = try Self.catchUp(catchUp)
        self.randomDelay =
            interval > 86_400
            ? try Self.delay(randomDelay, atMost: 86_400, "a day")
            : try Self.delay(randomDelay, atMost: interval - 1, "less than the interval")
    }

    /// Combines schedules that catch up in the same way, at least one; times of several of them count once.
    init?(_ parts: [Schedule]) {
        guard let first = parts.first, parts.allSatisfy({ $0.catchUp == first.catchUp }) else { return nil }
        guard parts.count > 1 else {
            self = first
            return
        }
        text = parts.map(\.text).joined(separator: ", ")
        zone = first.zone
        randomDelay = parts.map(\.randomDelay).max() ?? 0
        catchUp = first.catchUp
        timing = .several(parts)
    }

    /// The schedules that it combines, or only itself.
    package var parts: [Schedule] {
        guard case .several(let parts) = timing else { return [self] }
        return parts
    }

    /// The index of the first part that has a time; 0 if none has.
    package func part(at time: Timestamp) -> Int {
        parts.firstIndex { !$0.newest(after: time.before(1_000), through: time, limit: 1).isEmpty } ?? 0
    }

    /// Sets the delay after which a time is missed, such as `15m`.
    ///
    /// Throws `ScheduleError`, a sentence that says what to write instead.
    package mutating func startBy(_ text: String) throws(ScheduleError) {
        startBy = try ScheduleDuration(text, key: "start_by").seconds * 1_000
    }

    /// Whether a time is missed instead of started at a moment, which is after its random delay.
    func isTooLate(_ time: Timestamp, at now: Timestamp, for id: String) -> Bool {
        let part = parts[part(at: time)]
        return part.startBy.map { now - time.after(part.delay(of: time, for: id)) > $0 } ?? false
    }

    package var timezone: String { zone.identifier }

    /// Identifies the sequence of times: times recorded under another identity are not caught up on.
    var identity: String { parts.map { $0.text + " " + $0.timezone }.joined(separator: ", ") }

    /// The zone of a plain name such as Europe/Lisbon or UTC, or nil.
    static func plainZone(_ name: String) -> TimeZone? {
        if name == "UTC" { return .gmt }
        let isPlain =
            (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        return isPlain ? TimeZone(identifier: name) : nil
    }

    /// The zone of a name such as `Europe/Lisbon`; throws `ScheduleError`, a sentence that says what to write instead.
    package static func zone(_ name: String) throws(ScheduleError) -> TimeZone {
        if let zone = plainZone(name) { return zone }
        let word = name.replacing(" ", with: "_").lowercased()
        let near = TimeZone.knownTimeZoneIdentifiers.first {
            $0.lowercased() == word || $0.lowercased().hasSuffix("/" + word)
        }
        let advice =
            near.map { "Did you mean \($0)?" } ?? "Zones are named like Europe/Lisbon, America/Sao_Paulo or UTC."
        throw ScheduleError("There is no time zone \(ScheduleError.quoted(name)). \(advice)")
    }

    private static func catchUp(_ text: String?) throws(ScheduleError) -> CatchUp {
        guard let text else { return .once }
        guard let catchUp = CatchUp(rawValue: text) else {
            throw ScheduleError("\(ScheduleError.quoted(text)) is not known for “catch_up”. Write once, skip or all.")
        }
        return catchUp
    }

    private static func delay(
        _ text: String?, atMost limit: Int64, _ words: String
    ) throws(ScheduleError) -> Int64 {
        guard let text, text != "0" else { return 0 }
        let seconds = try ScheduleDuration(text, key: "random_delay").seconds
        guard seconds <= limit else {
            throw ScheduleError(
                "“random_delay” is \(ScheduleError.quoted(text)), which is too long. Write at most \(words).")
        }
        return seconds * 1_000
    }
}

extension Schedule {
    /// The supported range, from 1900 to 9999 in seconds since 1970; other times are clamped to it.
    private static let known: ClosedRange<Int64> = -2_208_988_800...253_402_300_799

    /// The first time after a moment, without the random delay, or nil if the schedule has none.
    package func next(after moment: Timestamp) -> Timestamp? {
        if case .several(let parts) = timing { return parts.compactMap { $0.next(after: moment) }.min() }
        var moment = moment
        while let time = timeOfAnyDay(after: moment) {
            let day = localDay(of: time)
            guard let next = days.next(from: day) else { return nil }
            if next == day { return time }
            // Three hours before that day begins, because the zone's offset can change until then.
            let beginning = Timestamp(milliseconds: next * 86_400_000).before(
                zone.offset(at: Self.seconds(time)) * 1_000)
            moment = max(time, beginning.before(3 * 3_600_000))
        }
        return nil
    }

    private func localDay(of time: Timestamp) -> Int64 {
        wallClock(at: time).milliseconds.floorDivided(by: 86_400_000).quotient
    }

    private func timeOfAnyDay(after moment: Timestamp) -> Timestamp? {
        let seconds = Self.seconds(moment)
        let next: Int64? =
            switch timing {
            case .cron(let clock): clock.next(after: seconds)
            case .every(let interval): (seconds.floorDivided(by: interval).quotient + 1) * interval
            case .several: nil
            }
        return next.flatMap { Self.known.contains($0) ? Timestamp(milliseconds: $0 * 1_000) : nil }
    }

    /// The next `count` times after a moment, in order.
    package func upcoming(after moment: Timestamp, count: Int) -> [Timestamp] {
        var times: [Timestamp] = []
        while times.count < count, let next = next(after: times.last ?? moment) { times.append(next) }
        return times
    }

    /// The newest times in a range that excludes its start and includes its end: at most `limit`, oldest first.
    func newest(after: Timestamp, through: Timestamp, limit: Int) -> [Timestamp] {
        guard days != .all else { return newestOfAnyDay(after: after, through: through, limit: limit) }
        var (times, through): ([Timestamp], Timestamp) = ([], through)
        while times.count < limit {
            let found = newestOfAnyDay(after: after, through: through, limit: limit)
            times = found.filter { days.contains(localDay(of: $0)) } + times
            guard found.count == limit, let first = found.first, let day = days.previous(from: localDay(of: first))
            else { break }
            // Three hours after that day ends, because the zone's offset can change since then.
            let end = Timestamp(milliseconds: (day + 1) * 86_400_000).before(
                zone.offset(at: Self.seconds(first)) * 1_000)
            through = min(first.before(1_000), end.after(3 * 3_600_000))
        }
        return Array(times.suffix(limit))
    }

    private func newestOfAnyDay(after: Timestamp, through: Timestamp, limit: Int) -> [Timestamp] {
        let (after, through) = (Self.seconds(after), Self.seconds(through))
        guard after < through, limit > 0 else { return [] }
        let times: [Int64]
        switch timing {
        case .cron(let clock): times = clock.newest(after: after, through: through, limit: limit)
        case .every(let interval):
            let (first, last) = (
                after.floorDivided(by: interval).quotient + 1, through.floorDivided(by: interval).quotient
            )
            times = first > last ? [] : (max(first, last - Int64(limit) + 1)...last).map { $0 * interval }
        case .several(let parts):
            let range = (Timestamp(milliseconds: after * 1_000), Timestamp(milliseconds: through * 1_000))
            let all = parts.flatMap { $0.newest(after: range.0, through: range.1, limit: limit) }
            return Array(Set(all).sorted().suffix(limit))
        }
        return times.map { Timestamp(milliseconds: $0 * 1_000) }
    }

    /// The local time of the schedule's zone at a moment, encoded as if it were UTC.
    package func wallClock(at moment: Timestamp) -> Timestamp {
        moment.after(zone.offset(at: Self.seconds(moment)) * 1_000)
    }

    /// The text, with the five fields of a nickname such as `@daily` instead of it.
    package var expression: String { CronExpression.nicknames[text.lowercased()] ?? text }

    package var isInterval: Bool {
        if case .every = timing { true } else { false }
    }

    /// The random delay of a start in milliseconds, from 0 to ``randomDelay``; deterministic for a time and an id.
    package func delay(of time: Timestamp, for id: String) -> Int64 {
        guard randomDelay > 0 else { return 0 }
        if case .several(let parts) = timing { return parts[part(at: time)].delay(of: time, for: id) }
        // Followed by the last step of SplitMix64, so that neighbouring times differ widely.
        var hash = StableHash(Array(id.utf8) + [0] + bytes(of: time)).value
        hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
        return Int64(clamping: (hash ^ hash >> 31) % (UInt64(clamping: randomDelay) + 1))
    }

    private func bytes(of time: Timestamp) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: time.milliseconds >> (8 * $0)) }
    }

    private static func seconds(_ moment: Timestamp) -> Int64 {
        let seconds = moment.milliseconds.floorDivided(by: 1_000).quotient
        return min(max(seconds, known.lowerBound), known.upperBound)
    }
}

/// A duration in the notation of schedules: `90s`, `15m`, `1h30m`, `1d`.
struct ScheduleDuration: Sendable, Hashable {
    /// The maximum in seconds: a leap year.
    static let maximum: Int64 = 366 * 86_400
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]

    /// The duration in seconds, from 1 to ``maximum``.
    let seconds: Int64

    /// Parses one or more numbers with units; `key` is the name of the setting, for error messages.
    init(_ text: String, key: String) throws(ScheduleError) {
        guard let seconds = Self.seconds(of: text) else {
            throw ScheduleError(
                "\(ScheduleError.quoted(text)) is not a length of time for “\(key)”. Write a number with s, m, h, d or w, "
                    + "such as 90s, 15m or 1h30m.")
        }
        guard (1...Self.maximum).contains(seconds) else {
            throw ScheduleError("“\(key)” is \(ScheduleError.quoted(text)), and must be between 1s and 366d.")
        }
        self.seconds = seconds
    }

    /// The sum of the parts, or 0 if it exceeds the maximum.
    private static func seconds(of text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 32 else { return nil }
        var (sum, number): (Int64, Int64?) = (0, nil)
        for character in text {
            if character.isASCII, let digit = character.wholeNumberValue {
                number = (number ?? 0) * 10 + Int64(digit)
                if number ?? 0 > maximum { return text.last.flatMap { units[$0] } == nil ? nil : 0 }
            } else {
                guard let unit = units[character], let count = number else { return nil }
                sum += count * unit
                number = nil
                if sum > maximum { return 0 }
            }
        }
        return number == nil ? sum : nil
    }
}

/// An error in the text of a schedule, described in a sentence that says what to write instead.
public struct ScheduleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error and its correction.
    public let description: String

    package init(_ description: String) { self.description = description }

    /// Input quoted for an error message: at most 64 characters, on one line.
    static func quoted(_ text: some StringProtocol) -> String {
        let visible = text.unicodeScalars.prefix(64).map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                "\u{FFFD}"
            default: Character(scalar)
            }
        }
        return "“" + String(visible) + (text.unicodeScalars.count > 64 ? "…" : "") + "”"
    }
}
