import Testing
import WeirBoards

/// Changes of the clock: a job at a fixed time runs once, and a job with a wildcard follows the clock.
struct ClockChangeTests {
    // S1
    @Test func `a job in the hour that Lisbon skips runs as soon as it is over`() throws {
        let schedule = try Schedule(cron: "30 1 * * *", timezone: "Europe/Lisbon")
        #expect(
            schedule.times(from: "2026-03-28T00:00", to: "2026-03-31T00:00") == [
                "2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30",
            ])
    }

    // S1
    @Test func `a job in the hour that Lisbon repeats runs the first time only`() throws {
        let schedule = try Schedule(cron: "30 1 * * *", timezone: "Europe/Lisbon")
        #expect(
            schedule.times(from: "2026-10-24T00:00", to: "2026-10-27T00:00") == [
                "2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30",
            ])
    }

    @Test func `several times that are skipped make one start`() throws {
        let schedule = try Schedule(cron: "0,20,40 1 * * *", timezone: "Europe/Lisbon")
        #expect(
            schedule.times(from: "2026-03-29T00:00", to: "2026-03-30T00:00") == [
                "2026-03-29T01:00", "2026-03-30T00:00",
            ])
    }

    @Test func `every half hour goes on through both changes of clock`() throws {
        let schedule = try Schedule(cron: "*/30 * * * *", timezone: "Europe/Lisbon")
        #expect(
            schedule.times(from: "2026-03-29T00:30", to: "2026-03-29T02:00") == [
                "2026-03-29T00:30", "2026-03-29T01:00", "2026-03-29T01:30", "2026-03-29T02:00",
            ])
        #expect(
            schedule.times(from: "2026-10-25T00:00", to: "2026-10-25T02:00") == [
                "2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30", "2026-10-25T02:00",
            ])
    }

    // S1
    @Test func `a wildcard within an hour follows the clock on the wall: skipped is skipped, repeated is repeated`()
        throws
    {
        let schedule = try Schedule(cron: "*/30 1 * * *", timezone: "Europe/Lisbon")
        #expect(schedule.times(from: "2026-03-29T00:00", to: "2026-03-29T23:00") == [])
        #expect(
            schedule.times(from: "2026-10-25T00:00", to: "2026-10-25T23:00") == [
                "2026-10-25T00:00", "2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30",
            ])
    }

    @Test func `midnight that São Paulo skipped runs at one o'clock`() throws {
        let schedule = try Schedule(cron: "0 0 * * *", timezone: "America/Sao_Paulo")
        #expect(
            schedule.times(from: "2018-11-03T00:00", to: "2018-11-05T12:00") == [
                "2018-11-03T03:00", "2018-11-04T03:00", "2018-11-05T02:00",
            ])
    }

    @Test func `the last hour of a day that São Paulo repeated runs once, and midnight comes once`() throws {
        let late = try Schedule(cron: "30 23 * * *", timezone: "America/Sao_Paulo")
        #expect(
            late.times(from: "2019-02-16T12:00", to: "2019-02-18T12:00") == ["2019-02-17T01:30", "2019-02-18T02:30"])
        let midnight = try Schedule(cron: "@daily", timezone: "America/Sao_Paulo")
        #expect(
            midnight.times(from: "2019-02-16T00:00", to: "2019-02-18T12:00") == [
                "2019-02-16T02:00", "2019-02-17T03:00", "2019-02-18T03:00",
            ])
    }

    @Test func `São Paulo has changed its clock no more since 2019`() throws {
        let schedule = try Schedule(cron: "@daily", timezone: "America/Sao_Paulo")
        #expect(
            schedule.times(from: "2019-11-02T12:00", to: "2019-11-05T12:00") == [
                "2019-11-03T03:00", "2019-11-04T03:00", "2019-11-05T03:00",
            ])
    }

    @Test func `the half hour that Lord Howe skips and repeats is treated as an hour is elsewhere`() throws {
        let skipped = try Schedule(cron: "15 2 * * *", timezone: "Australia/Lord_Howe")
        #expect(
            skipped.times(from: "2026-10-02T12:00", to: "2026-10-05T00:00") == [
                "2026-10-02T15:45", "2026-10-03T15:30", "2026-10-04T15:15",
            ])
        let repeated = try Schedule(cron: "45 1 * * *", timezone: "Australia/Lord_Howe")
        #expect(
            repeated.times(from: "2026-04-03T12:00", to: "2026-04-06T00:00") == [
                "2026-04-03T14:45", "2026-04-04T14:45", "2026-04-05T15:15",
            ])
    }

    @Test func `midnight that St. John's saw twice within an hour runs once`() throws {
        let schedule = try Schedule(cron: "0 0 * * *", timezone: "America/St_Johns")
        #expect(
            schedule.times(from: "2010-11-06T00:00", to: "2010-11-08T12:00") == [
                "2010-11-06T02:30", "2010-11-07T02:30", "2010-11-08T03:30",
            ])
    }

    @Test func `the day that Samoa left out is not made up for`() throws {
        let schedule = try Schedule(cron: "0 12 * * *", timezone: "Pacific/Apia")
        #expect(
            schedule.times(from: "2011-12-29T12:00", to: "2012-01-01T00:00") == [
                "2011-12-29T22:00", "2011-12-30T22:00", "2011-12-31T22:00",
            ])
    }

    @Test func `an interval knows no clock but UTC's`() throws {
        let schedule = try Schedule(every: "12h")
        #expect(
            schedule.times(from: "2026-03-29T00:00", to: "2026-03-30T00:00") == [
                "2026-03-29T00:00", "2026-03-29T12:00", "2026-03-30T00:00",
            ])
    }
}
