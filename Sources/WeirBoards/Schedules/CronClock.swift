import Foundation
import WeirJournals

/// The times of a cron expression in a zone, in seconds since 1970.
struct CronClock: Sendable, Hashable {
    let expression: CronExpression
    let zone: TimeZone

    /// Larger changes count as corrections of the clock, after which the new time applies at once, as in cron(8).
    private static let longestChange: Int64 = 3 * 3_600
    /// The number of days after which the calendar repeats, weekdays included.
    private static let cycle: Int64 = 146_097

    /// The first match after a time, or nil if the calendar has none.
    func next(after time: Int64) -> Int64? {
        // After the clock was set back, local time can show the previous day again.
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

    /// The newest matches in a range that excludes its start and includes its end: at most `limit`, oldest first.
    func newest(after: Int64, through: Int64, limit: Int) -> [Int64] {
        var found: Set<Int64> = []
        var day = day(at: through) + 2
        let lastDay = self.day(at: after) - 2
        var complete = 0
        while day >= lastDay, complete <= limit {
            if expression.matches(day: day) {
                // Times of one day can be later than some of the next day, so the search continues for one more day.
                complete = found.count
                found.formUnion(times(on: day).filter { $0 > after && $0 <= through })
            }
            day -= 1
        }
        return found.sorted().suffix(max(0, limit))
    }

    private func day(at time: Int64) -> Int64 { (time + zone.offset(at: time)).floorDivided(by: 86_400).quotient }

    /// The matches on a day of the zone's calendar, in order.
    private func times(on day: Int64) -> [Int64] {
        let midnight = day * 86_400
        // Zones are at most 16 hours from UTC, and a change extends three hours further.
        let spans = ZoneSpan.spans(of: zone, from: midnight - 72_000, to: midnight + 86_400 + 72_000)
        var times: Set<Int64> = []
        var before: Int64?
        for span in spans {
            let local = span.start + span.offset
            var begin = local
            if let before, expression.isFixed, abs(span.offset - before) < Self.longestChange {
                let expected = span.start + before
                // Skipped times run when the clock jumps; repeated times have already run.
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

    /// The matching minutes of a day, in local time, in a half-open range.
    private func minutes(of midnight: Int64, from: Int64, to: Int64) -> [Int64] {
        guard from < midnight + 86_400, to > midnight else { return [] }
        return (0..<24).filter { expression.hour.contains($0) }.flatMap { hour in
            (0..<60).filter { expression.minute.contains($0) }.map { midnight + hour * 3_600 + $0 * 60 }
        }.filter { $0 >= from && $0 < to }
    }
}

/// A span of time with a constant UTC offset in a zone; all times are in seconds since 1970.
struct ZoneSpan: Sendable, Hashable {
    let start: Int64
    /// The end: the time of the next offset change.
    let end: Int64
    /// Seconds ahead of UTC.
    let offset: Int64

    /// The spans that cover a time range, in order.
    ///
    /// Two changes within six hours that cancel each other out would be missed; no zone has ever had such a pair.
    static func spans(of zone: TimeZone, from start: Int64, to end: Int64) -> [ZoneSpan] {
        var spans: [ZoneSpan] = []
        var (begin, offset) = (start, zone.offset(at: start))
        var last = start
        while last < end {
            let next = min(last + 21_600, end)
            if zone.offset(at: next) != offset {
                let change = firstChange(of: zone, from: offset, after: last, through: next)
                spans.append(ZoneSpan(start: begin, end: change, offset: offset))
                (begin, offset) = (change, zone.offset(at: change))
                last = change
            } else {
                last = next
            }
        }
        spans.append(ZoneSpan(start: begin, end: end, offset: offset))
        return spans
    }

    private static func firstChange(of zone: TimeZone, from offset: Int64, after: Int64, through: Int64) -> Int64 {
        var (same, other) = (after, through)
        while other - same > 1 {
            let middle = same + (other - same) / 2
            if zone.offset(at: middle) == offset { same = middle } else { other = middle }
        }
        return other
    }
}

extension TimeZone {
    func offset(at seconds: Int64) -> Int64 {
        Int64(clamping: secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
}
