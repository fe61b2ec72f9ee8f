package import Foundation
import WeirJournals

/// The days on which a schedule starts something, in its time zone; all days by default.
package struct ScheduleDays: Sendable, Hashable {
    /// Ranges of days since 1 January 1970, sorted and disjoint; nil for all days.
    private let only: [ClosedRange<Int64>]?
    private let skipped: [ClosedRange<Int64>]
    /// The maximum number of days and ranges.
    package static let limit = 1_000

    package static let all = ScheduleDays(only: nil, skipped: [])

    private init(only: [ClosedRange<Int64>]?, skipped: [ClosedRange<Int64>]) {
        (self.only, self.skipped) = (only, skipped)
    }

    /// Parses days such as `2026-12-25`, ranges such as `2026-12-24..2027-01-02`, which include both ends, and names of
    /// calendars such as `holidays.ics`, whose events take days of the zone.
    ///
    /// Throws `ScheduleError`, a sentence that says what to write instead.
    package init(
        only: [String]?, skip: [String], in zone: TimeZone = .gmt,
        calendar: (String) throws(ScheduleError) -> EventCalendar = { _ throws(ScheduleError) in
            throw ScheduleError("Calendars are files beside an operation's file. Write days such as 2026-12-25.")
        }
    ) throws(ScheduleError) {
        var days: [ClosedRange<Int64>] = []
        var skipped: [ClosedRange<Int64>] = []
        for text in only ?? [] { days += try Self.ranges(text, zone, calendar) }
        for text in skip { skipped += try Self.ranges(text, zone, calendar) }
        self.init(only: only.map { _ in Self.merged(days) }, skipped: Self.merged(skipped))
        guard let days = self.only else { return }
        guard let first = days.first, next(from: first.lowerBound) != nil else {
            throw ScheduleError("“only” and “skip” leave no day. Write a day in “only” that is not in “skip”.")
        }
    }

    private static func ranges(
        _ text: String, _ zone: TimeZone, _ calendar: (String) throws(ScheduleError) -> EventCalendar
    ) throws(ScheduleError) -> [ClosedRange<Int64>] {
        text.lowercased().hasSuffix(".ics") ? try calendar(text).days(in: zone) : [try range(text)]
    }

    private static func range(_ text: String) throws(ScheduleError) -> ClosedRange<Int64> {
        let ends =
            text.firstRange(of: "..").map { [text[..<$0.lowerBound], text[$0.upperBound...]] } ?? [
                text[...], text[...],
            ]
        let days = ends.compactMap(Self.day)
        guard days.count == 2 else {
            throw ScheduleError(
                "\(ScheduleError.quoted(text)) is no day. Write a day such as 2026-12-25, days such as "
                    + "2026-12-24..2027-01-02, or a calendar such as holidays.ics.")
        }
        guard days[0] <= days[1] else {
            throw ScheduleError("\(ScheduleError.quoted(text)) ends before it begins. Exchange both days.")
        }
        return days[0]...days[1]
    }

    private static func day(_ text: Substring) -> Int64? {
        guard text.utf8.count == 10 else { return nil }
        return Timestamp("\(text)T00:00:00Z").map { $0.milliseconds.floorDivided(by: 86_400_000).quotient }
    }

    private static func merged(_ ranges: [ClosedRange<Int64>]) -> [ClosedRange<Int64>] {
        var merged: [ClosedRange<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
                merged.removeLast()
                merged.append(last.lowerBound...max(last.upperBound, range.upperBound))
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    func contains(_ day: Int64) -> Bool { next(from: day) == day }

    /// The first allowed day that is not before a day, or nil.
    func next(from day: Int64) -> Int64? {
        var day = day
        // Each round passes a range, so that it ends.
        for _ in 0...skipped.count + (only?.count ?? 0) {
            if let only {
                guard let range = Self.first(of: only, endingFrom: day) else { return nil }
                day = max(day, range.lowerBound)
            }
            guard let range = Self.first(of: skipped, endingFrom: day), range.contains(day) else { return day }
            day = range.upperBound + 1
        }
        return nil
    }

    /// The last allowed day that is not after a day, or nil.
    func previous(from day: Int64) -> Int64? {
        var day = day
        for _ in 0...skipped.count + (only?.count ?? 0) {
            if let only {
                let next = Self.index(in: only, endingFrom: day)
                if !only.dropFirst(next).prefix(1).contains(where: { $0.contains(day) }) {
                    guard let range = only.prefix(next).last else { return nil }
                    day = range.upperBound
                }
            }
            guard let range = Self.first(of: skipped, endingFrom: day), range.contains(day) else { return day }
            day = range.lowerBound - 1
        }
        return nil
    }

    private static func first(of ranges: [ClosedRange<Int64>], endingFrom day: Int64) -> ClosedRange<Int64>? {
        let index = index(in: ranges, endingFrom: day)
        return index < ranges.count ? ranges[index] : nil
    }

    /// The index of the first range that does not end before a day, found by bisection.
    private static func index(in ranges: [ClosedRange<Int64>], endingFrom day: Int64) -> Int {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ranges[middle].upperBound < day { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
