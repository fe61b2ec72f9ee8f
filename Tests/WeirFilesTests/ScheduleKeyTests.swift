import Testing
import WeirBoards
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
        #expect(declared == DeclaredSchedule(schedule: expected, input: ["database": "orders", "keep": 30]))
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
