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

    /// Parses days such as `2026-12-25`, and ranges such as `2026-12-24..2027-01-02`, which include both ends.
    ///
    /// Throws `ScheduleError`, a sentence that says what to write instead.
    package init(only: [String]?, skip: [String]) throws(ScheduleError) {
        var days: [ClosedRange<Int64>] = []
        for text in only ?? [] { days.append(try Self.range(text)) }
        var skipped: [ClosedRange<Int64>] = []
        for text in skip { skipped.append(try Self.range(text)) }
        self.init(only: only.map { _ in Self.merged(days) }, skipped: Self.merged(skipped))
        guard let days = self.only else { return }
        guard let first = days.first, next(from: first.lowerBound) != nil else {
            throw ScheduleError("“only” and “skip” leave no day. Write a day in “only” that is not in “skip”.")
        }
    }

    private static func range(_ text: String) throws(ScheduleError) -> ClosedRange<Int64> {
        let ends =
            text.firstRange(of: "..").map { [text[..<$0.lowerBound], text[$0.upperBound...]] } ?? [
                text[...], text[...],
            ]
        let days = ends.compactMap(Self.day)
        guard days.count == 2 else {
            throw ScheduleError(
                "\(ScheduleError.quoted(text)) is no day. Write a day such as 2026-12-25, or 2026-12-24..2027-01-02.")
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
        for _ in 0...2 * Self.limit {
            if let only {
                guard let range = only.first(where: { $0.upperBound >= day }) else { return nil }
                day = max(day, range.lowerBound)
            }
            guard let range = skipped.first(where: { $0.contains(day) }) else { return day }
            day = range.upperBound + 1
        }
        return nil
    }

    /// The last allowed day that is not after a day, or nil.
    func previous(from day: Int64) -> Int64? {
        var day = day
        for _ in 0...2 * Self.limit {
            if let only {
                guard let range = only.last(where: { $0.lowerBound <= day }) else { return nil }
                day = min(day, range.upperBound)
            }
            guard let range = skipped.first(where: { $0.contains(day) }) else { return day }
            day = range.lowerBound - 1
        }
        return nil
    }
}
