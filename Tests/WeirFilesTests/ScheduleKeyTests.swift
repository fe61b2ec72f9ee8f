import Foundation
import Testing
@testable import WeirBoards
import WeirStates

@testable import WeirFiles

struct ScheduleKeyTests {
    @Test func `a file's schedule is read with the input of its runs`() throws {
        let text = """
            title: Back up a database
            inputs:
              - {name: database, type: choice, options: [orders, users], required: true}
              - {name: keep, type: integer, default: 7}
            command: [echo, "{{database}}"]
            schedule:
              cron: "30 3 * * *"
              timezone: Europe/Lisbon
              random_delay: 5m
              catch_up: skip
              inputs: {database: orders, keep: 30}
            """
        let (definition, mistakes) = DefinitionReader.read(text, id: "backup", file: "backup.yml")
        #expect(mistakes.isEmpty)
        let declared = try #require(definition?.schedule)
        let expected = try Schedule(
            cron: "30 3 * * *", timezone: "Europe/Lisbon", randomDelay: "5m", catchUp: "skip")
        #expect(declared == ScheduledStart(expected, input: ["database": "orders", "keep": 30]))
    }

    @Test func `a schedule can be a cron expression alone`() {
        let (definition, mistakes) = DefinitionReader.read(
            "title: Look\ncommand: [ls]\nschedule: \"*/5 * * * *\"", id: "look", file: "look.yml")
        #expect(mistakes.isEmpty)
        #expect(definition?.schedule?.schedule == (try? Schedule(cron: "*/5 * * * *")))
        let (_, wrong) = DefinitionReader.read(
            "title: Look\ncommand: [ls]\nschedule: \"*/5 * * *\"", id: "look", file: "look.yml")
        #expect(wrong.count == 1)
    }

    @Test func `a schedule without a zone has that of the settings`() throws {
        let schedules = try ["", ", timezone: UTC"].map { zone in
            let text = "title: Look\ncommand: [ls]\nschedule: {cron: \"0 3 * * *\"\(zone)}"
            return try #require(
                DefinitionReader.read(text, id: "look", file: "look.yml", timezone: "Europe/Lisbon").definition?
                    .schedule)
        }
        #expect(schedules.map(\.schedule.zone.identifier) == ["Europe/Lisbon", "GMT"])
    }

    @Test func `a file can have several schedules, each with its inputs, days and latest start`() throws {
        let text = """
            title: Back up
            inputs: [{name: base, options: [orders, users], required: true}]
            command: [echo, "{{base}}"]
            schedule:
              - {cron: "30 3 * * *", inputs: {base: orders}, start_by: 2h}
              - {every: 1d, inputs: {base: users}, skip: [2026-12-25, 2026-12-24..2027-01-02]}
            """
        let (definition, mistakes) = DefinitionReader.read(text, id: "backup", file: "backup.yml")
        #expect(mistakes.isEmpty)
        let start = try #require(definition?.schedule)
        #expect(start.inputs == [["base": "orders"], ["base": "users"]])
        #expect(start.schedule.parts.map(\.startBy) == [7_200_000, nil])
        #expect(start.schedule.parts.map { $0.days == .all } == [true, false])
    }

    @Test(arguments: [
        ("[]", "The list of schedules is empty."), ("[{every: 1h}, {every: 2h, catch_up: all}]", "the same `catch_up`"),
        ("{every: 1h, skip: [2026-02-30]}", "“2026-02-30” is no day."), ("{every: 1h, start_by: soon}", "“start_by”"),
        ("{every: 1h, skip: ../days.ics}", "A calendar is a file in the folder of operation files."),
        ("[{every: 1h}, {}]", "either `cron`"),
    ])
    func `a mistake in a list of schedules, a day or a latest start is told`(schedule: String, words: String) {
        let (_, mistakes) = DefinitionReader.read(
            "title: Look\ncommand: [ls]\nschedule: \(schedule)", id: "look", file: "look.yml")
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.description.contains(words) == true)
    }

    @Test func `the colours of a listed value are not part of it`() throws {
        let values = try ChoiceCommand.values(in: "\u{1B}[32morders\u{1B}[0m\nusers\n", of: "ls")
        #expect(values == ["orders", "users"])
    }

    @Test func `an interval takes the defaults of the inputs`() throws {
        let text = """
            title: Look
            inputs: [{name: deep, type: switch}]
            command: [ls]
            schedule: {every: 15m}
            """
        let (definition, mistakes) = DefinitionReader.read(text, id: "look", file: "look.yml")
        #expect(mistakes.isEmpty)
        #expect(definition?.schedule?.schedule == (try Schedule(every: "15m")))
    }
}
