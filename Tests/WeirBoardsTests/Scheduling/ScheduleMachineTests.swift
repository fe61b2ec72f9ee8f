import Testing
import WeirJournals
@testable import WeirBoards

/// Which times of a schedule are started, and what a restart makes of the others.
struct ScheduleMachineTests {
    /// A quarter of an hour of a day in November.
    private static func at(_ clock: String) -> Timestamp {
        Timestamp("2026-11-22T\(clock):00Z") ?? Timestamp(milliseconds: 0)
    }

    private func at(_ clock: String) -> Timestamp { Self.at(clock) }

    private func quarters(
        _ catchUp: String? = nil, delay: String? = nil, from clock: String = "10:00"
    ) throws -> ScheduleMachine {
        var machine = ScheduleMachine()
        let schedule = try Schedule(cron: "*/15 * * * *", randomDelay: delay, catchUp: catchUp)
        machine.take(["backup": ScheduledStart(schedule)], at: at(clock))
        return machine
    }

    private func times(_ due: [ScheduleMachine.Due]) -> [Timestamp] { due.flatMap(\.times) }

    // S3
    @Test func `a schedule that has just begun starts nothing of the past`() throws {
        var machine = try quarters("all")
        #expect(machine.look(at: at("10:00")).isEmpty)
        #expect(machine.look(at: at("10:14")).isEmpty)
        #expect(machine.next == at("10:15"))
        #expect(times(machine.look(at: at("10:15"))) == [at("10:15")])
        #expect(machine.look(at: at("10:15")).isEmpty)
        #expect(machine.next == at("10:30"))
    }

    // S3
    @Test(arguments: [
        ("once", ["10:45"], 2), ("skip", [], 3), ("all", ["10:15", "10:30", "10:45"], 0),
    ])
    func `three times that passed are made up for as the schedule says`(
        catchUp: String, expected: [String], missed: Int
    ) throws {
        var machine = try quarters(catchUp)
        let due = machine.look(at: at("10:50"))
        #expect(times(due) == expected.map(Self.at))
        #expect(due.first?.missed?.count ?? 0 == missed)
        #expect(due.first?.missed?.newest == (missed == 0 ? nil : at(missed == 3 ? "10:45" : "10:30")))
        #expect(times(machine.look(at: at("11:00"))) == [at("11:00")])
    }

    @Test func `the starts that did not happen are kept, the newest hundred, also those of an earlier version`() throws
    {
        var machine = try quarters("skip")
        for due in machine.look(at: at("10:50")) { machine.settle(due) }
        let refused = ScheduleStanding.Firing(time: at("11:00"), at: at("11:00"), run: nil, refusal: "Busy.")
        machine.note(refused, of: "backup")
        machine.note(.init(time: at("11:15"), at: at("11:15"), run: "r", refusal: nil), of: "backup")
        let standing = try #require(machine.standing(of: "backup"))
        #expect(standing.unstarted.map(\.time) == [at("10:45"), at("11:00")])
        #expect(standing.unstarted.map(\.count) == [3, 1] && standing.unstarted.last?.refusal == "Busy.")
        for minute in 0..<200 {
            let time = at("12:00").after(Int64(minute) * 60_000)
            machine.note(.init(time: time, at: time, run: nil, refusal: "Busy."), of: "backup")
        }
        let many = try #require(machine.standing(of: "backup")).unstarted
        #expect(many.count == ScheduleStanding.unstartedLimit && many.first?.time == at("13:40"))
        let earlier = ScheduleStanding("", from: at("10:00"), last: refused)
        #expect(earlier.unstarted.map(\.time) == [at("11:00")])
    }

    @Test func `starts in a row that did not happen are known since the first of them, until one happens`() throws {
        var machine = try quarters("skip")
        func since() throws -> Timestamp? { try #require(machine.standing(of: "backup")).firstUnstarted }
        for due in machine.look(at: at("10:50")) { machine.settle(due) }
        #expect(try since() == at("10:45"))
        machine.note(.init(time: at("11:00"), at: at("11:00"), run: nil, refusal: "Busy."), of: "backup")
        #expect(try since() == at("10:45"))
        machine.note(.init(time: at("11:15"), at: at("11:15"), run: "r", refusal: nil), of: "backup")
        #expect(try since() == nil)
        machine.note(.init(time: at("11:30"), at: at("11:30"), run: nil, refusal: "Busy."), of: "backup")
        #expect(try since() == at("11:30"))
        machine.pause("backup", .init(by: "Ana", at: at("11:31")), at: at("11:31"))
        #expect(try since() == nil)
    }

    @Test func `of times that passed together, the start that makes up for them leaves none missing`() throws {
        var machine = try quarters("once")
        let due = try #require(machine.look(at: at("10:50")).first)
        machine.note(.init(time: at("10:45"), at: at("10:50"), run: "r", refusal: nil), of: "backup")
        machine.settle(due)
        machine.note(.init(time: at("11:00"), at: at("11:00"), run: nil, refusal: "Busy."), of: "backup")
        #expect(machine.standing(of: "backup")?.firstUnstarted == at("11:00"))
    }

    @Test func `a start within a minute of its time is on time also where what passed is skipped`() throws {
        var machine = try quarters("skip")
        #expect(times(machine.look(at: at("10:16"))) == [at("10:15")])
        let due = machine.look(at: at("10:46"))
        #expect(times(due) == [at("10:45")])
        #expect(due.first?.missed?.count == 1)
    }

    @Test func `of very many times that passed a hundred are made up for`() throws {
        var machine = try quarters("all")
        let due = machine.look(at: at("10:50").after(30 * 86_400_000))
        #expect(times(due).count == 100)
        #expect(due.first?.missed.map { $0.count > 1_000 } == true)
        #expect(times(machine.look(at: at("11:00").after(30 * 86_400_000))).count == 1)
    }

    @Test func `a delayed start comes at its own time, once, and in order`() throws {
        let schedule = try Schedule(cron: "*/15 * * * *", randomDelay: "14m")
        var machine = ScheduleMachine()
        machine.take(["backup": ScheduledStart(schedule)], at: at("00:00"))
        var started: [Timestamp] = []
        while let next = machine.next, next < at("00:00").after(86_400_000) {
            #expect(machine.look(at: next.before(1)).isEmpty)
            for time in times(machine.look(at: next)) {
                started.append(time)
                #expect(next == time.after(schedule.delay(of: time, for: "backup")))
            }
        }
        #expect(started == schedule.upcoming(after: at("00:00"), count: started.count))
        #expect(started.count >= 94)
    }

    // S2
    @Test func `a time that was looked at and not settled is looked at again after a restart`() throws {
        var machine = try quarters()
        let due = machine.look(at: at("10:15"))
        let schedule = try #require(machine.start(of: "backup"))
        var next = ScheduleMachine()
        next.take(["backup": schedule], known: machine.standings, at: at("10:16"))
        #expect(times(next.look(at: at("10:16"))) == [at("10:15")])
        machine.settle(try #require(due.first))
        next = ScheduleMachine()
        next.take(["backup": schedule], known: machine.standings, at: at("10:16"))
        #expect(next.look(at: at("10:16")).isEmpty)
        #expect(next.next == at("10:30"))
    }

    // S3, S5
    @Test func `a schedule that was changed begins anew, and a pause stays`() throws {
        var machine = try quarters("all")
        machine.pause("backup", .init(by: "Ana", at: at("10:01")), at: at("10:01"))
        let hourly = ScheduledStart(try Schedule(cron: "@hourly", catchUp: "all"))
        var next = ScheduleMachine()
        next.take(["backup": hourly], known: machine.standings, at: at("15:30"))
        #expect(next.standing(of: "backup")?.pause?.by == "Ana")
        #expect(next.look(at: at("16:00")).isEmpty)
        next.pause("backup", nil, at: at("16:30"))
        #expect(times(next.look(at: at("17:00"))) == [at("17:00")])
    }

    @Test func `a schedule that was away begins anew, and is still paused`() throws {
        var machine = try quarters("all")
        let start = try #require(machine.start(of: "backup"))
        machine.take([:], at: at("10:05"))
        #expect(machine.isEmpty)
        #expect(machine.standings.isEmpty)
        machine.take(["backup": start], at: at("12:05"))
        #expect(machine.look(at: at("12:10")).isEmpty)
        machine.pause("backup", .init(by: "Ana", at: at("12:10")), at: at("12:10"))
        machine.take([:], at: at("12:11"))
        machine.take(["backup": start], at: at("12:12"))
        #expect(machine.standing(of: "backup")?.pause?.by == "Ana")
    }

    // S5
    @Test func `what falls into a pause is not made up for`() throws {
        var machine = try quarters("all")
        machine.pause("backup", .init(by: "Ana", at: at("10:01")), at: at("10:01"))
        #expect(machine.look(at: at("11:01")).isEmpty)
        #expect(machine.next == nil)
        machine.pause("backup", nil, at: at("11:01"))
        #expect(machine.look(at: at("11:01")).isEmpty)
        #expect(machine.next == at("11:15"))
    }

    // S2
    @Test func `a clock that was years ahead and is set back does not stop a schedule`() throws {
        var machine = try quarters(from: "10:00")
        _ = machine.look(at: at("10:00").after(70 * 365 * 86_400_000))
        #expect(machine.look(at: at("10:05")).isEmpty)
        #expect(times(machine.look(at: at("10:15"))) == [at("10:15")])
    }

    @Test func `schedules that change nothing keep their marks when others come`() throws {
        var machine = try quarters("all")
        let start = try #require(machine.start(of: "backup"))
        machine.take(["backup": start, "other": start], at: at("10:20"))
        #expect(machine.look(at: at("10:20")).map(\.operation) == ["backup"])
    }
}
