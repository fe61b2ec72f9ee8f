import Foundation
import Testing
import WeirJournals

@testable import WeirBoards

/// The times that are computed are those at which a daemon that looks every minute starts something.
struct CronDaemonTests {
    /// Weeks in which a clock changes.
    static let weeks = [
        ("Europe/Lisbon", "2026-03-27T00:00"), ("Europe/Lisbon", "2026-10-23T00:00"),
        ("America/Sao_Paulo", "2018-11-02T00:00"), ("America/Sao_Paulo", "2019-02-15T00:00"),
        ("Australia/Lord_Howe", "2026-04-03T00:00"), ("Australia/Lord_Howe", "2026-10-02T00:00"),
        ("America/St_Johns", "2010-11-05T00:00"), ("Pacific/Apia", "2011-12-28T00:00"),
        ("Antarctica/Troll", "2026-03-27T00:00"), ("Africa/Casablanca", "2026-02-13T00:00"),
        ("Asia/Kathmandu", "2026-03-27T00:00"),
    ]

    // S1
    @Test(arguments: weeks) func `a schedule is due when cron would start it`(zone: String, begin: String) throws {
        var random = SplitMix(state: 7)
        let zone = try #require(TimeZone(identifier: zone))
        let first = moment(begin).milliseconds / 1_000
        let last = first + 4 * 86_400
        let daemon = CronDaemon(zone: zone, from: first, to: last)
        for _ in 0..<5 {
            let text = Self.expression(&random)
            let expression = try CronExpression(text)
            let expected = daemon.minutes(of: expression)
            let clock = CronClock(expression: expression, zone: zone)
            let all = clock.newest(after: first - 1, through: last - 1, limit: 10_000)
            #expect(all == expected, "\(text) in \(zone.identifier)")
            #expect(clock.newest(after: first - 1, through: last - 1, limit: 7) == Array(expected.suffix(7)), "\(text)")
            // One time after the other: as many as take a moment, from a place that differs.
            let begin = expected.isEmpty ? 0 : Int(clamping: random.next() % 1_000) % expected.count
            for (time, next) in zip([first - 1] + expected, expected).dropFirst(begin).prefix(12) {
                #expect(clock.next(after: time) == next, "\(text) in \(zone.identifier) after \(time)")
            }
        }
    }

    private static func expression(_ random: inout SplitMix) -> String {
        func one(_ texts: [String]) -> String { texts[Int(random.next() % UInt64(texts.count))] }
        let minute = one(["0", "1", "30", "0,15,45", "10-20/5", "*", "*/7", "*/30", "59"])
        let hour = one(["0", "1", "2", "23", "0-3", "22-23", "*", "*/2", "0,1,2,3,23", "12"])
        let dayOfMonth = one(["*", "*", "*", "29", "1-15", "*/2", "4,17,25,30"])
        let dayOfWeek = one(["*", "*", "*", "sun", "1-5", "*/3", "sat,sun"])
        return "\(minute) \(hour) \(dayOfMonth) * \(dayOfWeek)"
    }
}

private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }
}
