import Testing
@testable import WeirBoards
import WeirJournals

struct CronExpressionTests {
    private func first(_ cron: String, after text: String, count: Int = 3) throws -> [String] {
        try Schedule(cron: cron).upcoming(after: moment(text), count: count).map(\.short)
    }

    @Test func `names, ranges, steps and lists choose their numbers`() throws {
        #expect(
            try first("*/20 9-17/4 1,15 jan-mar *", after: "2026-01-01T08:59", count: 4) == [
                "2026-01-01T09:00", "2026-01-01T09:20", "2026-01-01T09:40", "2026-01-01T13:00",
            ])
        #expect(
            try first("0 8 * * MON-fri", after: "2026-11-20T09:00") == [
                "2026-11-23T08:00", "2026-11-24T08:00", "2026-11-25T08:00",
            ])
        #expect(
            try first("5 4 * * 7", after: "2026-11-22T00:00", count: 2) == ["2026-11-22T04:05", "2026-11-29T04:05"])
        #expect(
            try first("5 4 * * sat-sun", after: "2026-11-20T00:00", count: 2) == [
                "2026-11-21T04:05", "2026-11-22T04:05",
            ])
    }

    @Test func `nicknames stand for their five fields`() throws {
        #expect(try first("@hourly", after: "2026-11-22T00:30", count: 1) == ["2026-11-22T01:00"])
        #expect(try first("@daily", after: "2026-11-22T00:30", count: 1) == ["2026-11-23T00:00"])
        #expect(try first("@weekly", after: "2026-11-22T00:30", count: 1) == ["2026-11-29T00:00"])
        #expect(try first("@monthly", after: "2026-11-22T00:30", count: 1) == ["2026-12-01T00:00"])
        #expect(try first("@Yearly", after: "2026-11-22T00:30", count: 1) == ["2027-01-01T00:00"])
    }

    @Test func `either day counts if both are given, and both must if one begins with a wildcard`() throws {
        #expect(
            try first("0 0 13 * fri", after: "2026-11-05T12:00", count: 4) == [
                "2026-11-06T00:00", "2026-11-13T00:00", "2026-11-20T00:00", "2026-11-27T00:00",
            ])
        #expect(
            try first("0 0 */12 * fri", after: "2026-11-05T12:00", count: 2) == [
                "2026-11-13T00:00", "2026-12-25T00:00",
            ])
    }

    @Test func `29 February comes every four years, and not in 2100`() throws {
        #expect(
            try first("0 0 29 2 *", after: "2026-11-22T00:00", count: 2) == ["2028-02-29T00:00", "2032-02-29T00:00"])
        #expect(try first("0 0 29 2 *", after: "2096-03-01T00:00", count: 1) == ["2104-02-29T00:00"])
        #expect(try first("0 0 29 2 */7", after: "2032-03-01T00:00", count: 1) == ["2060-02-29T00:00"])
    }

    @Test func `an interval counts from 1970, so that a restart does not move it`() throws {
        let schedule = try Schedule(every: "1h30m")
        #expect(
            schedule.upcoming(after: moment("2026-11-22T00:00"), count: 2).map(\.short) == [
                "2026-11-22T01:30", "2026-11-22T03:00",
            ])
        let newest = schedule.newest(after: moment("2026-11-22T00:00"), through: moment("2026-11-22T04:00"), limit: 9)
        #expect(newest.map(\.short) == ["2026-11-22T01:30", "2026-11-22T03:00"])
    }

    @Test(arguments: [
        ("0 0 30 2 *", "never comes"), ("0 0 31 apr,jun,sep *", "never comes"), ("* * *", "five fields"),
        ("0 30 3 * * *", "without seconds"), ("60 * * * *", "0 to 59"), ("* 24 * * *", "0 to 23"),
        ("* * 0 * *", "1 to 31"), ("* * L * *", "use *"), ("* * * 13 *", "jan to dec"), ("* * * * 8", "sun to sat"),
        ("*/90 * * * *", "every: 90m"), ("*/60 * * * *", "Write 0"), ("*/0 * * * *", "from 1 to 59"),
        ("5/15 * * * *", "5-59/15"), ("0 22-2 * * *", "22-23,0-2"), ("0 0 * * fri-mon", "5-6,0-1"),
        ("1,,2 * * * *", "comma"), ("@reboot", "@daily"), ("", "five fields"), ("-1 * * * *", "not a minute"),
        ("１ * * * *", "not a minute"), ("9999999999999999999 * * * *", "not a minute"),
    ])
    func `a mistake is told with its remedy`(cron: String, remedy: String) {
        let error = #expect(throws: ScheduleError.self) { try Schedule(cron: cron) }
        #expect(error?.description.contains(remedy) == true, "\(error?.description ?? "no error")")
    }

    @Test func `both days make 30 February a matter of the weekday alone`() throws {
        #expect(try first("0 0 30 2 mon", after: "2026-11-22T00:00", count: 1) == ["2027-02-01T00:00"])
    }

    @Test(arguments: [
        ("Lisbon", "Europe/Lisbon"), ("sao paulo", "America/Sao_Paulo"), ("europe/lisbon ", "named like"),
        ("../../etc/passwd", "named like"), ("", "named like"), ("Mars/Olympus", "named like"),
        ("GMT+05:30", "named like"),
    ])
    func `a zone that is not known is told with the nearest one`(zone: String, remedy: String) {
        let error = #expect(throws: ScheduleError.self) { try Schedule(cron: "@daily", timezone: zone) }
        #expect(error?.description.contains(remedy) == true, "\(error?.description ?? "no error")")
    }

    @Test(arguments: [
        "", "15", "m", "0s", "15 m", "-5m", "1.5h", "367d", "99999999999999999999s", "9999999999999999w", "5y",
    ])
    func `an interval that cannot be used is refused`(text: String) {
        #expect(throws: ScheduleError.self) { try Schedule(every: text) }
    }

    @Test func `a delay is bounded by the interval and by a day`() throws {
        #expect(throws: ScheduleError.self) { try Schedule(every: "15m", randomDelay: "15m") }
        #expect(throws: ScheduleError.self) { try Schedule(cron: "@daily", randomDelay: "25h") }
        let error = #expect(throws: ScheduleError.self) { try Schedule(cron: "0,5 3 * * *", randomDelay: "1h") }
        #expect(error?.description.contains("Write less than 5m") == true)
        #expect(try Schedule(every: "15m", randomDelay: "14m").randomDelay == 840_000)
        #expect(throws: ScheduleError.self) { try Schedule(every: "15m", catchUp: "twice") }
    }

    @Test func `a delay is the same each time it is asked, and spreads over its length`() throws {
        let schedule = try Schedule(cron: "@daily", randomDelay: "5m")
        let times = schedule.upcoming(after: moment("2026-01-01T00:00"), count: 200)
        let delays = times.map { schedule.delay(of: $0, for: "backup") }
        #expect(delays == times.map { schedule.delay(of: $0, for: "backup") })
        #expect(delays != times.map { schedule.delay(of: $0, for: "copy") })
        #expect(delays.allSatisfy { (0...300_000).contains($0) })
        #expect(delays.contains { $0 < 60_000 } && delays.contains { $0 > 240_000 })
        // Another process, another machine: the same.
        #expect(schedule.delay(of: moment("2026-11-22T00:00"), for: "backup") == 266_820)
    }

    @Test func `the ends of what a timestamp holds do no harm`() throws {
        for schedule in [try Schedule(cron: "* * * * *", timezone: "Asia/Tokyo"), try Schedule(every: "366d")] {
            let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
            #expect(schedule.next(after: last) == nil)
            #expect(schedule.next(after: first) != nil)
            #expect(schedule.newest(after: first, through: last, limit: 3).count == 3)
            #expect(schedule.newest(after: last, through: first, limit: 3).isEmpty)
        }
    }

    @Test func `an interval is told from times that depend on a zone`() throws {
        #expect(try Schedule(every: "90m").isInterval)
        #expect(try !Schedule(cron: "0 8 * * *").isInterval)
    }
}
