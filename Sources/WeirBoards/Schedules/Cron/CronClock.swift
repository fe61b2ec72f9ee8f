import Foundation
import WeirJournals

/// When a cron expression is due in a zone; all in seconds since 1970.
struct CronClock: Sendable, Hashable {
    let expression: CronExpression
    let zone: TimeZone

    /// What is longer is a correction of the clock, after which the new time counts at once, as in cron(8).
    private static let longestChange: Int64 = 3 * 3_600
    /// After how many days the calendar repeats itself, weekdays included.
    private static let cycle: Int64 = 146_097

    /// The first time after another; nil if the calendar that we know has none.
    func next(after time: Int64) -> Int64? {
        // A clock that was set back can show the day before the one that it has shown already.
        let first = day(at: time) - 2
        var found: Int64?
        var lastDay = first + Self.cycle
        var next = first
        while next <= lastDay {
            let day = next
            let date = CivilDate(day: day)
            // No month is shorter than 28 days.
            next += expression.month.contains(date.month) ? 1 : max(1, 29 - date.dayOfMonth)
            guard expression.matches(date, day: day), let time = times(on: day).first(where: { $0 > time }) else {
                continue
            }
            if found == nil { lastDay = day + 1 }
            found = min(found ?? time, time)
        }
        return found
    }

    /// The newest times after one and up to another, oldest first, up to a limit.
    func newest(after: Int64, through: Int64, limit: Int) -> [Int64] {
        var found: Set<Int64> = []
        var day = day(at: through) + 2
        let lastDay = self.day(at: after) - 2
        var complete = 0
        while day >= lastDay, complete <= limit {
            if expression.matches(day: day) {
                // The times of a day may be newer than some of the next one, so one more than enough is looked at.
                complete = found.count
                found.formUnion(times(on: day).filter { $0 > after && $0 <= through })
            }
            day -= 1
        }
        return found.sorted().suffix(max(0, limit))
    }

    private func day(at time: Int64) -> Int64 { (time + zone.offset(at: time)).floorDivided(by: 86_400).quotient }

    /// The times that belong to a day of the zone's calendar, in order.
    private func times(on day: Int64) -> [Int64] {
        let midnight = day * 86_400
        // Zones are at most 16 hours apart from UTC, and a change reaches three hours further.
        let spans = ZoneSpan.spans(of: zone, from: midnight - 72_000, to: midnight + 86_400 + 72_000)
        var times: Set<Int64> = []
        var before: Int64?
        for span in spans {
            let local = span.start + span.offset
            var begin = local
            if let before, expression.isFixed, abs(span.offset - before) < Self.longestChange {
                let expected = span.start + before
                // Skipped minutes are made up for when the clock jumps; repeated ones have had their turn.
                if expected < local, !minutes(of: midnight, from: expected, to: local).isEmpty {
                    times.insert(span.start)
                }
                begin = max(begin, expected)
            }
            for minute in minutes(of: midnight, from: begin, to: span.end + span.offset) {
                times.insert(minute - span.offset)
            }
            before = span.offset
        }
        return times.sorted()
    }

    /// The minutes of a day that are chosen, by the clock on the wall, from one time up to another.
    private func minutes(of midnight: Int64, from: Int64, to: Int64) -> [Int64] {
        guard from < midnight + 86_400, to > midnight else { return [] }
        return (0..<24).filter { expression.hour.contains($0) }.flatMap { hour in
            (0..<60).filter { expression.minute.contains($0) }.map { midnight + hour * 3_600 + $0 * 60 }
        }.filter { $0 >= from && $0 < to }
    }
}
