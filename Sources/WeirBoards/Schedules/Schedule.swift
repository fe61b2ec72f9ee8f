import Foundation
import WeirJournals

/// When something is to be started: by a cron expression in a time zone, or at a regular interval.
///
/// A value: it knows no clock. The same schedule gives the same times in every process.
public struct Schedule: Sendable, Hashable {
    /// What to do about times that passed while nobody could start anything.
    package enum CatchUp: String, Sendable, CaseIterable {
        /// Start once, for the newest of them.
        case once
        /// Start nothing.
        case skip
        /// Start once for each of them, the newest hundred at most.
        case all
    }

    enum Timing: Sendable, Hashable {
        case cron(CronClock)
        case every(seconds: Int64)
    }

    /// The cron expression or the interval, as it was written.
    package let text: String
    /// The zone that the cron expression is read in.
    let zone: TimeZone
    /// How late a start may be, at most, so that not everything starts at once; in milliseconds.
    package let randomDelay: Int64
    /// What to do about times that passed.
    package let catchUp: CatchUp
    let timing: Timing

    /// Reads a cron expression: five fields, or a name such as `@daily`.
    ///
    /// - Parameters:
    ///   - cron: Minute, hour, day of the month, month, day of the week, as in crontab(5).
    ///   - timezone: The zone of the clock that it is read by, such as `Europe/Lisbon`; UTC if nil.
    ///   - randomDelay: How late a start may be, such as `5m`: at most a day, and shorter than the time between two
    ///     starts. How late one is depends only on the operation
    ///     and the time, so that it is the same in every process.
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
        // All hours have the same minutes, so that an hour and the step to the next one show it.
        let times = upcoming(after: Timestamp(milliseconds: 1_767_225_599_000), count: 64)
        return zip(times, times.dropFirst()).map { $1 - $0 }.min() ?? .max
    }

    /// Reads an interval.
    ///
    /// Its times are the multiples of the interval since 1 January 1970, UTC: those of `15m` are the quarters of an hour,
    /// whenever the server was started.
    ///
    /// - Parameters:
    ///   - every: A number with s, m, h, d or w, such as `15m`; at most `366d`.
    ///   - randomDelay: How late a start may be, at most; shorter than the interval and than a day.
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

    /// The name of the zone that the cron expression is read in.
    package var timezone: String { zone.identifier }

    /// What the times depend on: of a schedule that has another one, the times of before do not count.
    package var identity: String { text + " " + timezone }

    private static func zone(_ name: String) throws(ScheduleError) -> TimeZone {
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
        if isPlain, let zone = TimeZone(identifier: name) { return zone }
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
