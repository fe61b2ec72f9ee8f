import Foundation
import Testing
import TestSupport
import WeirFlows
import WeirOperations
import WeirStates
@testable import WeirFiles

extension ChoiceLists {
    /// Runs all programs that are due.
    fileprivate func refresh(
        _ definitions: [OperationDefinition], now: ContinuousClock.Instant = .now
    ) async -> (isChanged: Bool, failures: [String]) {
        var all: (isChanged: Bool, failures: [String]) = (false, [])
        while let next = await runNext(definitions, now: now) {
            all.isChanged = all.isChanged || next.isChanged
            if let failure = next.failure { all.failures.append(failure) }
        }
        return all
    }
}

/// Choices whose values a program lists.
@Suite(.timeLimit(.minutes(15)))
struct ChoiceListTests {
    private let folder: URL
    private let lists: ChoiceLists
    private let clock = VirtualClock()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "weir-choices-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let environment = CommandEnvironment(
            folder: folder, environment: ["PATH": "/usr/local/bin:/usr/bin:/bin"], helper: try CommandHelper())
        lists = ChoiceLists(in: environment, clock: clock)
    }

    private func say(_ text: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: "list"), options: .atomic)
    }

    private static let restore = """
        title: Restore
        inputs: [{name: table, default: orders, options: {command: [cat, list], cache: 5m}}]
        command: [echo, "{{table}}"]
        """

    private static let hanging = """
        title: Hang
        inputs: [{name: a, default: x, options: {command: [sleep, "3600"]}}]
        command: [echo]
        """

    @Test func `a program that does not end holds up no other field`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let (hanging, other) = (try FileTrial.definition(Self.hanging), try FileTrial.definition(Self.restore))
        try say("orders")
        let first = Task { await lists.runNext([hanging, other]) }
        await clock.sleepers(1)
        #expect(await lists.runNext([hanging, other])?.isChanged == true)
        #expect(await lists.runNext([hanging, other]) == nil)
        #expect(kind(lists.filling(other)) == .choice(["orders"]))
        clock.advance(by: ChoiceCommand.timeout)
        #expect(await first.value?.failure?.hasSuffix("took longer than 10 s and was stopped.") == true)
    }

    @Test func `a program that exceeded its time limit runs after the others, and not where it may not`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let (hanging, other) = (try FileTrial.definition(Self.hanging), try FileTrial.definition(Self.restore))
        try say("orders")
        let start = ContinuousClock.now
        let first = Task { await lists.runNext([hanging, other], now: start) }
        await clock.sleepers(1)
        clock.advance(by: ChoiceCommand.timeout)
        _ = await first.value
        _ = await lists.runNext([hanging, other], now: start)
        try say("users")
        #expect(await lists.runNext([hanging, other], now: start + .seconds(300), takesSlow: false)?.isChanged == true)
        #expect(kind(lists.filling(other)) == .choice(["users"]))
        #expect(await lists.runNext([hanging, other], now: start + .seconds(300), takesSlow: false) == nil)
        let again = Task { await lists.runNext([hanging, other], now: start + .seconds(300)) }
        await clock.sleepers(1)
        again.cancel()
        #expect(await again.value != nil)
    }

    @Test func `a program is stopped when nobody waits for its list any more`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let hanging = try FileTrial.definition(Self.hanging)
        let listing = Task { await lists.runNext([hanging]) }
        await clock.sleepers(1)
        listing.cancel()
        #expect(await listing.value?.failure?.contains("was ended by the signal SIGTERM") == true)
    }

    @Test func `until a program has listed values, no value is taken, and no start goes without the default`()
        async throws
    {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let definition = try FileTrial.definition(Self.restore)
        try say("orders")
        func mistake(_ input: JSONValue) -> InputMistake? {
            do throws(InputMistakes) {
                _ = try InputField.validate(input, fields: lists.filling(definition).fields)
                return nil
            } catch {
                return error.mistakes.first
            }
        }
        let pending = "The values are still being read. Try again in a moment."
        for input in [["table": "orders"], ["table": "x"], [:]] as [JSONValue] {
            #expect(mistake(input)?.detail == pending && mistake(input)?.isPassing == true)
        }
        _ = await lists.refresh([definition])
        #expect(mistake(["table": "orders"]) == nil && mistake([:]) == nil)
        #expect(mistake(["table": "x"])?.isPassing == false)
    }

    private func kind(_ definition: OperationDefinition) -> InputField.Kind? { definition.fields.first?.kind }

    @Test func `a choice has the lines that its program prints, each once, without blanks around them`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let definition = try FileTrial.definition(Self.restore)
        try say("orders\n  users \n\norders\r\n")
        let refresh = await lists.refresh([definition])
        #expect(refresh.isChanged && refresh.failures == [])
        let filled = lists.filling(definition)
        #expect(kind(filled) == .choice(["orders", "users"]))
        #expect(filled.fields.first?.defaultValue == "orders")
    }

    @Test func `the program is run again when its list has become old, and other values are news`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let definition = try FileTrial.definition(Self.restore)
        let start = ContinuousClock.now
        try say("orders")
        _ = await lists.refresh([definition], now: start)
        try say("users")
        let early = await lists.refresh([definition], now: start + .seconds(299))
        #expect(!early.isChanged)
        #expect(kind(lists.filling(definition)) == .choice(["orders"]))
        let edition = lists.edition
        let late = await lists.refresh([definition], now: start + .seconds(300))
        #expect(late.isChanged && lists.edition != edition)
        #expect(kind(lists.filling(definition)) == .choice(["users"]))
        // What is not among the values any more is no default.
        #expect(lists.filling(definition).fields.first?.defaultValue == nil)
        let same = await lists.refresh([definition], now: start + .seconds(600))
        #expect(!same.isChanged)
    }

    @Test func `a program that fails is told of once, and leaves the values as they were`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let definition = try FileTrial.definition(Self.restore)
        let start = ContinuousClock.now
        let without = await lists.refresh([definition], now: start)
        #expect(
            without.failures == [
                "The values of “table” of the operation “trial” could not be listed. The program “cat” ended with exit code 1. "
                    + "It said: cat: list: No such file or directory"
            ])
        let empty = lists.filling(definition)
        #expect(kind(empty) == .choice([]))
        #expect(empty.fields.first?.help?.hasPrefix("The program “cat” ended with exit code 1.") == true)
        try say("orders")
        _ = await lists.refresh([definition], now: start + .seconds(300))
        try FileManager.default.removeItem(at: folder.appending(path: "list"))
        let failed = await lists.refresh([definition], now: start + .seconds(600))
        #expect(failed.failures.count == 1)
        #expect(kind(lists.filling(definition)) == .choice(["orders"]))
        #expect(await lists.refresh([definition], now: start + .seconds(900)).failures == [])
    }

    @Test(
        arguments: [
            ("seq 501", "The program “sh” printed more than 500 different lines."),
            ("yes abc | head -c 200000", "The program “sh” printed more than 128 KiB."),
            (":", "The program “sh” printed no values."),
            ("kill -9 $$", "The program “sh” was ended by the signal SIGKILL."),
            (
                "printf 'a\\tb\\n'",
                "The program “sh” printed a line of more than 200 characters, or with control characters."
            ),
        ])
    func `a list that no form could show is refused in words`(script: String, sentence: String) async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let definition = try FileTrial.definition(
            """
            title: T
            inputs: [{name: a, options: {command: [sh, -c, "\(script.replacing("\\", with: "\\\\"))"]}}]
            command: [echo]
            """)
        let refresh = await lists.refresh([definition])
        #expect(refresh.failures.first?.hasSuffix(sentence) == true, "\(refresh.failures)")
    }

    @Test func `a program that does not end is stopped`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let definition = try FileTrial.definition(
            """
            title: T
            inputs: [{name: a, options: {command: [sleep, "3600"]}}]
            command: [echo]
            """)
        async let refresh = lists.refresh([definition])
        _ = await clock.sleepers.first { $0 == 1 }
        clock.advance(by: ChoiceCommand.timeout)
        #expect(await refresh.failures.first?.hasSuffix("took longer than 10 s and was stopped.") == true)
    }

    private static let dependent = """
        title: Restore
        inputs:
          - {name: database, required: true, options: [orders, users, none]}
          - {name: table, required: true, options: {command: [sh, -c, 'cat "$1.tables"', sh, "{{database}}"]}}
        command: [echo, "{{table}}"]
        """

    @Test func `the values of a choice depend on what is chosen elsewhere`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        for (name, tables) in [("orders", "lines\nstates\n"), ("users", "names\nstates\n"), ("none", "")] {
            try Data(tables.utf8).write(to: folder.appending(path: "\(name).tables"))
        }
        let definition = try FileTrial.definition(Self.dependent)
        let refresh = await lists.refresh([definition])
        #expect(refresh.isChanged && refresh.failures == [])
        let fields = lists.filling(definition).fields
        #expect(fields.last?.kind == .choice(["lines", "states", "names"]))
        func mistake(_ database: String, _ table: String) -> String? {
            do throws(InputMistakes) {
                _ = try InputField.validate(["database": .string(database), "table": .string(table)], fields: fields)
                return nil
            } catch {
                return error.mistakes.map { "\($0.field): \($0.detail)" }.joined(separator: " ")
            }
        }
        #expect(mistake("orders", "lines") == nil)
        #expect(mistake("users", "states") == nil)
        #expect(mistake("users", "lines") == "table: Choose “names” or “states”, not “lines”.")
        #expect(
            mistake("none", "lines")
                == "table: There are no values for this choice of “database”. Choose another.")
        #expect(mistake("orders", "x") == "table: Choose “lines”, “states” or “names”, not “x”.")
        // One mistake is enough to say that the other choice is wrong.
        #expect(mistake("x", "lines") == "database: Choose “orders”, “users” or “none”, not “x”.")
    }

    @Test func `a program that fails for one choice is told with it, and the others have their values`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        for name in ["orders", "none"] {
            try Data("lines\n".utf8).write(to: folder.appending(path: "\(name).tables"))
        }
        let definition = try FileTrial.definition(Self.dependent)
        let refresh = await lists.refresh([definition])
        #expect(
            refresh.failures == [
                "The values of “table” of the operation “trial” could not be listed with “users” as “database”. The program "
                    + "“sh” ended with exit code 1. It said: cat: users.tables: No such file or directory"
            ])
        #expect(lists.filling(definition).fields.last?.kind == .choice(["lines"]))
    }

    @Test func `what a choice depends on can be listed itself, up to fifty values`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let definition = try FileTrial.definition(
            """
            title: T
            inputs:
              - {name: a, options: {command: [cat, list]}}
              - {name: b, options: {command: [echo, "of {{a}}"]}}
            command: [echo]
            """)
        let start = ContinuousClock.now
        try say((0..<50).map(String.init).joined(separator: "\n"))
        #expect(await lists.refresh([definition], now: start).failures == [])
        #expect(lists.filling(definition).fields.last?.kind == .choice((0..<50).map { "of \($0)" }))
        try say((0..<51).map(String.init).joined(separator: "\n"))
        let many = await lists.refresh([definition], now: start + .seconds(60))
        #expect(many.failures.count == 1)
        let filled = try #require(lists.filling(definition).fields.last)
        #expect(filled.kind == .choice([]))
        #expect(filled.help == "More than 50 combinations of values can be chosen beside it. Let it depend on fewer.")
        // Said once.
        #expect(await lists.refresh([definition], now: start + .seconds(61)).isChanged == false)
    }

    @Test func `a value that a program could take for an option is not given to it`() async throws {
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        let definition = try FileTrial.definition(
            """
            title: T
            inputs:
              - {name: a, options: [-rf]}
              - {name: b, options: {command: [echo, "{{a}}"]}}
              - {name: c, options: {command: [echo, --, "{{a}}"]}}
            command: [echo]
            """)
        let refresh = await lists.refresh([definition])
        #expect(refresh.failures.count == 1)
        #expect(refresh.failures.first?.contains("“-rf” begins with a hyphen") == true)
        #expect(lists.filling(definition).fields.last?.kind == .choice(["-- -rf"]))
    }

    @Test func `what is wrong with the program of a choice is told with its place`() {
        #expect(
            FileTrial.mistakes(
                """
                title: T
                inputs:
                  - {name: e, options: {command: []}}
                  - {name: b, options: {command: [ls, "{{a}}"]}}
                  - {name: c, options: {cache: 1m}}
                  - {name: d, type: integer, options: {command: [ls]}}
                  - {name: a}
                  - {name: f, options: {command: [ls, "{{g}}", "{{x}}"]}}
                  - {name: g, options: {command: [ls, "{{f}}"]}}
                  - {name: h, options: {command: ["{{f}}"]}}
                  - {name: i, options: {command: [sh, -c, "ls {{f}}"]}}
                command: [echo]
                """) == [
                    "3:34: The command is empty. Begin with the program, such as [echo, hello].",
                    "4:34: The program is run for each value that {{a}} can have, so that must be a choice. Give it `options`.",
                    "5:24: `command` is missing in `inputs[2].options`: The program and its arguments; it prints one value in "
                        + "each line.",
                    "6:30: `options` belongs to an input of the type `choice` or `choices`. Remove it, or change the type.",
                    "8:34: \(Self.circle("g"))",
                    "8:48: There is no input “x”. Did you mean {{a}}?",
                    "9:34: \(Self.circle("f"))",
                    "10:34: \(Self.circle("f"))",
                    "10:35: The program itself cannot be an input: write its name.",
                    "11:34: \(Self.circle("f"))",
                    "11:43: A field cannot stand in the text that an interpreter runs. Use `shell` with "
                        + "\"$WEIR_INPUT_NAME\", or pass the value as an argument of its own after the text.",
                ])
    }

    @Test func `a program that depends on more combinations than there are numbers is refused`() {
        let names = (1...8).map { "c\($0)" }
        let values = (1...500).map(String.init).joined(separator: ", ")
        let choices = names.map { "  - {name: \($0), options: [\(values)]}\n" }.joined()
        let words = names.map { "\"{{\($0)}}\"" }.joined(separator: ", ")
        let mistakes = FileTrial.mistakes(
            "title: T\ninputs:\n\(choices)  - {name: all, options: {command: [ls, \(words)]}}\ncommand: [echo]\n")
        #expect(mistakes.count == 1)
        #expect(mistakes.first?.contains("and at most \(ChoiceCommand.combinations) are possible") == true)
    }

    private static func circle(_ name: String) -> String {
        "The values of “\(name)” depend on another input themselves, and a list cannot depend on those. Use an input whose "
            + "values are the same whatever is chosen elsewhere."
    }
}
