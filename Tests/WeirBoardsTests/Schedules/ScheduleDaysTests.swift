import Testing
import WeirJournals
import WeirStates

@testable import WeirBoards

/// Schedules with days, several parts and a latest start.
struct ScheduleDaysTests {
    private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

    private func times(_ schedule: Schedule, after moment: String, count: Int = 4) throws -> [String] {
        schedule.upcoming(after: try time(moment), count: count).map { String($0.description.prefix(16)) }
    }

    @Test func `a schedule passes over skipped days of its zone`() throws {
        var schedule = try Schedule(cron: "30 1 * * *", timezone: "Europe/Berlin")
        schedule.days = try ScheduleDays(only: nil, skip: ["2026-12-25", "2026-12-27..2026-12-30"])
        // 1:30 in Berlin is 0:30 in UTC, and on the evening before for 0:30 in Berlin.
        #expect(
            try times(schedule, after: "2026-12-23T12:00:00Z")
                == ["2026-12-24T00:30", "2026-12-26T00:30", "2026-12-31T00:30", "2027-01-01T00:30"])
        schedule = try Schedule(cron: "30 0 * * *", timezone: "Europe/Berlin")
        schedule.days = try ScheduleDays(only: nil, skip: ["2026-12-25"])
        #expect(
            try times(schedule, after: "2026-12-23T12:00:00Z", count: 2) == ["2026-12-23T23:30", "2026-12-25T23:30"])
    }

    @Test func `a schedule of a few days ends with the last of them, however frequent it is`() throws {
        var schedule = try Schedule(cron: "* * * * *")
        schedule.days = try ScheduleDays(only: ["2030-01-01", "9998-12-31"], skip: ["9998-12-31"])
        #expect(
            try times(schedule, after: "2026-01-01T00:00:00Z", count: 2) == ["2030-01-01T00:00", "2030-01-01T00:01"])
        #expect(try times(schedule, after: "2030-01-01T23:58:30Z") == ["2030-01-01T23:59"])
        #expect(
            schedule.newest(
                after: try time("2029-12-31T00:00:00Z"), through: try time("2030-01-01T00:01:00Z"), limit: 9
            ).count == 2)
    }

    @Test(arguments: ["Europe/Lisbon", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Apia"])
    func `the times of allowed days are those that the schedule has without days`(zone: String) throws {
        let whole = try Schedule(cron: "*/20 * * * *", timezone: zone)
        var schedule = whole
        schedule.days = try ScheduleDays(only: nil, skip: ["2026-03-28..2026-03-29", "2026-10-25"])
        var moment = try time("2026-03-27T00:00:00Z")
        for _ in 0..<40 {
            let next = try #require(schedule.next(after: moment))
            var expected = try #require(whole.next(after: moment))
            while ["2026-03-28", "2026-03-29"].contains(whole.wallClock(at: expected).description.prefix(10)) {
                expected = try #require(whole.next(after: expected))
            }
            #expect(next == expected)
            moment = next.after(3_600_000)
        }
    }

    @Test func `times before many skipped ones are among the newest`() throws {
        var schedule = try Schedule(cron: "* * * * *", timezone: "Europe/Berlin")
        schedule.days = try ScheduleDays(only: nil, skip: ["2026-11-28..2026-11-29"])
        // Two days have 2,880 minutes.
        let times = schedule.newest(
            after: try time("2026-11-27T22:50:00Z"), through: try time("2026-11-29T12:00:00Z"), limit: 5)
        #expect(times.map { String($0.description.prefix(16)) } == (55...59).map { "2026-11-27T22:\($0)" })
        schedule.days = try ScheduleDays(only: ["2026-01-01"], skip: [])
        #expect(
            schedule.newest(
                after: try time("2025-01-01T00:00:00Z"), through: try time("2026-12-01T00:00:00Z"), limit: 1
            ).map { String($0.description.prefix(16)) } == ["2026-01-01T22:59"])
        #expect(
            schedule.newest(
                after: try time("2026-01-02T00:00:00Z"), through: try time("2026-12-01T00:00:00Z"), limit: 3) == [])
    }

    @Test(arguments: ["2026-02-30", "2026-1-1", "tomorrow", "2026-12-26..2026-12-25", "2026-12-24..", "..", ""])
    func `what is no day is refused with an example`(text: String) {
        #expect(throws: ScheduleError.self) { try ScheduleDays(only: nil, skip: [text]) }
        #expect(throws: ScheduleError.self) { try ScheduleDays(only: ["2026-12-25"], skip: ["2026-12-20..2026-12-31"]) }
    }

    @Test func `several schedules have the times of all, each once, with the input of the first that has it`() throws {
        let parts = [
            ScheduledStart(try Schedule(cron: "0 3 * * *"), input: ["name": "daily"]),
            ScheduledStart(try Schedule(cron: "0 3,4 * * sun"), input: ["name": "weekly"]),
        ]
        let start = try #require(ScheduledStart(parts))
        // 29 November 2026 is a Sunday.
        let next = start.schedule.upcoming(after: try time("2026-11-28T12:00:00Z"), count: 3)
        #expect(
            next.map { String($0.description.prefix(16)) } == [
                "2026-11-29T03:00", "2026-11-29T04:00", "2026-11-30T03:00",
            ])
        #expect(next.map { start.input(at: $0)["name"] } == ["daily", "weekly", "daily"])
        #expect(
            start.schedule.newest(
                after: try time("2026-11-28T12:00:00Z"), through: try time("2026-11-30T12:00:00Z"), limit: 2)
                == Array(next.suffix(2)))
        #expect(ScheduledStart([]) == nil)
        #expect(ScheduledStart([parts[0], ScheduledStart(try Schedule(every: "1h", catchUp: "all"))]) == nil)
    }

    @Test func `a start that could not be made by its latest moment is missed`() throws {
        var schedule = try Schedule(cron: "0 * * * *", catchUp: "all")
        try schedule.startBy("15m")
        var machine = ScheduleMachine()
        machine.take(["a": ScheduledStart(schedule)], at: try time("2026-11-28T00:30:00Z"))
        let due = machine.look(at: try time("2026-11-28T03:10:00Z"))
        #expect(due.first?.times == [try time("2026-11-28T03:00:00Z")])
        #expect(due.first?.missed?.count == 2)
        #expect(machine.look(at: try time("2026-11-28T04:20:00Z")).first?.times == [])
    }
}
