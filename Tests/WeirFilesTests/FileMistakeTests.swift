import Foundation
import Testing
import WeirOperations
import WeirStates

@testable import WeirFiles

struct FileMistakeTests {
    private static let cases: [(text: String, mistake: String)] = [
        ("title: T\ncommand: [ls, {{folder}}]", "2:15: A text with {{…}} must be in quotes"),
        ("title: T\ncommand: [ls]\nworking_dir: {{x}} y", "3:20: A text with {{…}} must be in quotes"),
        ("title: T\ncommand: [ls]\nschedule: * * * * *", "3:12: A text that begins with * or & must be in quotes"),
        ("title: T\ncomand: [ls]", "2:1: An operation has no `comand`. Did you mean `command`?"),
        ("title: T\nscript: ls", "2:1: An operation has no `script`. Did you mean `shell`?"),
        ("title: T\ncommand: [ls]\nretries: 3", "3:1: An operation has no `retries`. Did you mean `retry`?"),
        ("title: T\nsteps: [{name: a, depends_on: []}]", "2:19: `steps[0]` has no `depends_on`. Did you mean `needs`?"),
        ("command: [ls]", "1:1: `title` is missing"),
        ("title: T", "1:1: There is nothing to run."),
        ("title: T\ncommand: [ls]\nshell: ls", "3:8: An operation has a `command` or a `shell` text, not both."),
        ("title: T\ncommand: [ls]\ntimeout: 30", "3:10: `timeout` must be a length of time such as 30s"),
        ("title: T\ncommand: [ls]\noverlap: que", "3:10: `overlap` must be one of"),
        ("title: T\ncommand: [ls]\nterminal: yes", "3:11: `terminal` must be true or false, not “yes”."),
        ("title: T\ncommand: [ls]\nretry: {limit: 0}", "3:16: `retry.limit` must be a whole number from 1 to 100"),
        ("title: T\ncommand: [ls]\nretry: {}", "3:8: `limit` is missing in `retry`"),
        ("title: T\ncommand: [ls]\ntype: http", "2:1: `command` has no meaning for an operation of the type http."),
        ("title: T\ntype: http", "2:7: There is nothing to send. Give a `request` with a `url`."),
        ("title: T\ncommand: [ls]\nschedule: {cron: 0 3 * *}", "3:11: A cron expression has five fields"),
        ("title: T\ncommand: [ls]\nschedule: {cron: 0 0 30 2 *}", "3:11: “0 0 30 2 *” never comes"),
        ("title: T\ncommand: [ls]\nschedule: {every: 1h, timezone: UTC}", "3:33: An interval has no time zone."),
        ("title: T\ncommand: [ls]\nschedule: {timezone: UTC}", "3:11: A schedule has either"),
        (
            "title: T\ncommand: [ls]\ninputs: [{name: a, required: true}]\nschedule: {every: 1h}",
            "4:11: The schedule starts runs with “a”: This is required."
        ),
        (
            "title: T\ncommand: [ls]\ninputs: [{name: a, type: secret}]\nschedule: {every: 1h, inputs: {a: x}}",
            "4:32: A schedule cannot give the secret “a”: everybody could read it in this file. Give the input `kept: NAME`"
        ),
        (
            "title: T\ncommand: [ls]\ninputs: [{name: a, kept: b}]",
            "3:20: `kept` belongs to an input of the type `secret`."
        ),
        ("title: T\ncommand: ['{{a}}', b]\ninputs: [{name: a}]", "2:11: The program itself cannot be an input"),
        (
            "title: T\ncommand: [ls, '{{fodler}}']\ninputs: [{name: folder}]",
            "2:15: There is no input “fodler”. Did you mean {{folder}}?"
        ),
        (
            "title: T\ncommand: [a, '{{p}}']\ninputs: [{name: p, type: secret}]",
            "2:14: The secret “p” cannot stand in `command`"
        ),
        (
            "title: T\ncommand: [sh, -c, 'ls {{a}}']\ninputs: [{name: a}]",
            "2:19: A field cannot stand in the text that an interpreter runs."
        ),
        (
            "title: T\ncommand: [sudo, bash, -lc, 'ls {{a}}']\ninputs: [{name: a}]",
            "2:28: A field cannot stand in the text that an interpreter runs."
        ),
        (
            "title: T\nshell: 'ls {{a}} {{b}}'\ninputs: [{name: b}]",
            "2:8: A field cannot stand in the text of a shell, which would run what it holds. Write \"$WEIR_INPUT_B\""
        ),
        ("title: T\nshell: 'ls {{a}}'\ninputs: [{name: a}]", "2:8: A field cannot stand in the text of a shell"),
        ("title: T\ncommand: [a]\nenv: {PATH: '{{a}}'}\ninputs: [{name: a}]", "3:13: A field cannot stand in PATH"),
        (
            "title: T\ncommand: [a]\nenv: {LD_PRELOAD: '{{a}}'}\ninputs: [{name: a}]",
            "3:19: A field cannot stand in LD_PRELOAD"
        ),
        ("title: T\ncommand: [a]\nenv: {WEIR_X: a}", "3:7: Variables that begin with WEIR_"),
        ("title: T\ncommand: [a]\nenv: {A-B: a}", "3:7: “A-B” cannot be the name of a variable"),
        ("title: T\ncommand: [a]\nenv: {1A: a}", "3:7: “1A” cannot be the name of a variable"),
        (
            "title: T\ncommand: [a]\ninputs: [{name: x, type: integer, min: 4, max: 3}]",
            "3:48: `min` must not be larger than `max`."
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: x, type: integer, min: 1e18, max: 1e19}]",
            "3:51: The bound of a whole number goes from -9223372036854775808 to 9223372036854775807."
        ),
        (
            "title: T\ntype: http\nrequest: {url: 'http://a/', timeout: 9223372036854775807s}",
            "3:38: `request.timeout` must be a length of time such as 30s, 5m or 2h, at most 10 minutes, not"
        ),
        (
            "title: T\ncommand: [a]\nstop_grace_period: 2h",
            "3:20: `stop_grace_period` must be a length of time such as 30s, 5m or 2h, at most 1 hour, not"
        ),
        (
            "title: T\ncommand: [docker, '{{.Names}}']",
            "2:19: “{{.Names}}” is no field: write the name of an input, such as {{database}}. Write {{{{ for two braces that are text."
        ),
        (
            "title: T\ncommand: [a, '{{b']", "2:14: A field that begins with {{ must end with }}. Write {{{{ for"
        ),
        (
            "title: T\nshell: 'ls {{ fodler }}'\ninputs: [{name: folder}]",
            "2:8: A field cannot stand in the text of a shell, which would run what it holds. Write \"$WEIR_INPUT_FOLDER\" instead "
                + "of {{fodler}}, or `literal: true` if the braces are text."
        ),
        (
            "title: T\ncommand: [a]\nuser: a b",
            "3:7: `user` must be the name of a user of the system, such as deploy."
        ),
        (
            "title: T\ncommand: [a]\nuser: a\ninputs:\n  - {name: f, type: file}",
            "3:7: Another user cannot read the files that a run receives in the data folder. Remove `user` or the input of "
                + "the type `file`."
        ),
        ("title: T\ncommand: [a]\numask: 888", "3:8: `umask` must be three octal digits such as 022, not “888”."),
        ("title: T\ncommand: [a]\numask: 22", "3:8: `umask` must be three octal digits such as 022, not “22”."),
        (
            "title: T\ncommand: [a]\ntimeout: 31d",
            "3:10: `timeout` must be a length of time such as 30s, 5m or 2h, at most 720 hours, not"
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: x, type: number, min: 4, max: 3}]",
            "3:47: `min` must not be larger than `max`."
        ),
        (
            "title: T\ncommand: [a]\nworking_dir: 'x/{{a}}'\ninputs: [{name: a}]",
            "3:14: `working_dir` cannot hold a field."
        ),
        (
            "title: T\ncommand: [a]\nstates: {succeeded: {}}",
            "3:10: The state “succeeded” is a state that every operation has."
        ),
        (
            "title: T\ncommand: [a]\nstates: {x: {match: '('}}",
            "3:21: This is no regular expression: missing closing parenthesis"
        ),
        (
            "title: T\ncommand: [a]\nstates: {x: {match: \"\\d\"}}",
            "3:22: In double quotes a backslash begins an escape."
        ),
        ("title: T\ncommand: [a]\ninputs: [{name: x, type: choice}]", "3:10: A choice needs `options`"),
        (
            "title: T\ncommand: [a]\ninputs: [{name: x, options: [a], default: b}]",
            "3:43: `default` does not fit the input."
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: x, type: integer, default: 9223372036854775808}]",
            "3:44: `default` does not fit the input. Give a whole number from -9223372036854775808 to 9223372036854775807"
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: x, min: 3}]",
            "3:20: `min` belongs to an input of the type `integer` or `number`."
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: x, type: choices, options: ['a,b', c]}]",
            "3:45: A comma separates the values of `choices`. Remove it from “a,b”."
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: x, type: choices, options: [a, b], default: [a, c]}]",
            "3:61: `default` does not fit the input. Choose one or more of “a” and “b”, not “c”."
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: x, if: {y: a}}, {name: y, options: [a]}]",
            "3:25: There is no input “y” above this one. Declare the input that decides first."
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: y}, {name: x, if: {y: a}}]",
            "3:36: The input “y” cannot decide what a form shows. Use an input of the type `choice`, `choices` or `switch`."
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: y, options: [a, b]}, {name: x, if: {y: c}}]",
            "3:53: The input can never be shown: `y` is one of a, b. Correct the condition."
        ),
        (
            "title: T\ncommand: [a]\ninputs: [{name: y, options: [a, b], default: a}, {name: x, if: {y: [a, b]}}]",
            "3:65: The input is always shown. Remove the condition on `y`, or correct it."
        ),
        (
            "title: T\ncommand: [a]\ninputs:\n  - {name: y, type: choices, options: [a, b]}\n"
                + "  - {name: x, options: {command: [ls, '{{y}}']}}",
            "5:34: A list of values cannot depend on `choices`, and those of `choices` on no other input. Remove {{y}}."
        ),
        ("title: T\ncommand: [a]\ninputs: [{name: x}, {name: x}]", "3:28: The input “x” is declared twice."),
        ("title: &a T\ncommand: [x]", "1:8: Anchors (&) are not supported."),
        ("title: &a T\ncommand: [*a]", "2:11: Anchors and aliases (& and *) are not supported."),
        ("title: !x T\ncommand: [a]", "1:8: Tags (!) are not supported."),
        ("title: T\ntitle: U\ncommand: [a]", "1:1: The name `title` is given twice."),
        ("title: T\n\tcommand: [a]", "2:1: The line is indented with a tab"),
        ("title: {xx-x: T}\ncommand: [a]", "1:9: “xx-x” is no language."),
        ("title: T\ncommand: [pg_dump --verbose]", "2:11: The command is one text with spaces."),
        ("- a", "1:1: The file must be a mapping, not a list."), ("", "1:1: The file is empty."),
    ]

    @Test(arguments: cases) func `a mistake is told with its place and its remedy`(
        _ text: String, _ mistake: String
    ) {
        let mistakes = FileTrial.mistakes(text)
        #expect(mistakes.contains { $0.hasPrefix(mistake) }, "\(mistakes)")
    }

    @Test func `a value that only the program knows can be shown, and one that is mistyped is told`() {
        let known = "title: T\ncommand: [a]\ninputs: [{name: files}]\n"
        #expect(FileTrial.mistakes(known + "states: {reading: {show: '{{file}}'}}") == [])
        let mistyped = FileTrial.mistakes(known + "succeeded: {show: '{{fiels}} are safe'}")
        #expect(mistyped == ["4:19: There is no input “fiels”. Did you mean {{files}}?"])
    }

    @Test(arguments: ["integer", "number"])
    func `an input with one number to choose is one`(type: String) throws {
        let definition = try FileTrial.definition(
            "{title: T, command: [a], inputs: [{name: x, type: \(type), min: 3, max: 3}]}")
        #expect(try InputField.validate(["x": 3], fields: definition.fields) == ["x": 3])
        #expect(throws: InputMistakes.self) { try InputField.validate(["x": 4], fields: definition.fields) }
    }

    @Test func `a text is as long as it may be, and no longer`() {
        func mistakes(_ count: Int) -> [String] {
            FileTrial.mistakes("title: T\ncommand: [a]\nworking_dir: /\(String(repeating: "x", count: count - 1))")
        }
        #expect(mistakes(4_000) == [])
        #expect(mistakes(4_001).first?.contains("a text of at most 4000 characters") == true)
        func mistakesOfDefault(_ count: Int) -> [String] {
            let text = String(repeating: "x", count: count)
            return FileTrial.mistakes(
                "title: T\ncommand: [a]\ninputs: [{name: x, type: multiline, max_length: 20000, default: \(text)}]")
        }
        #expect(mistakesOfDefault(10_000) == [])
        #expect(mistakesOfDefault(10_001).first?.contains("a text, a number, or true or false") == true)
    }

    @Test func `the name of a variable has up to 200 characters`() {
        func mistakes(_ count: Int) -> [String] {
            FileTrial.mistakes("title: T\ncommand: [a]\nenv: {\(String(repeating: "A", count: count)): a}")
        }
        #expect(mistakes(200) == [])
        #expect(mistakes(201).first?.contains("cannot be the name of a variable") == true)
    }

    @Test func `all mistakes of a file are told at once, in the order of their places`() {
        let mistakes = FileTrial.mistakes("title: T\ncommand: ['{{a}}']\ntimeout: 5\nterminal: no\n")
        #expect(mistakes.count >= 3 && mistakes == mistakes.sorted())
    }

    @Test func `a file that holds itself a thousand times over is refused at once`() {
        var text = "a0: &a0 [x,x]\n"
        for n in 1...40 { text += "a\(n): &a\(n) [*a\(n - 1),*a\(n - 1)]\n" }
        text += "? *a40\n: x\n"
        #expect(FileTrial.mistakes(text).first?.contains("Anchors and aliases") == true)
    }

    @Test func `what is too large or too deep is refused`() {
        let large = "title: T\nshell: |\n  " + String(repeating: "x", count: 262_144)
        #expect(FileTrial.mistakes(large).first?.contains("larger than 256 KiB") == true)
        let deep = "title: " + String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        #expect(FileTrial.mistakes(deep).contains { $0.contains("nested more than") })
    }

    @Test func `a text is a text, whatever YAML makes of it elsewhere`() throws {
        let definition = try FileTrial.definition(
            "{title: no, command: [echo, off, 010, 1e3, null, 2026-01-01, ~]}")
        #expect(definition.title.text == "no")
        guard case .command(let arguments) = definition.program else { return #expect(Bool(false)) }
        #expect(
            arguments.compactMap { $0.template?.filled { _ in nil } }
                == ["echo", "off", "010", "1e3", "null", "2026-01-01", "~"])
    }

    @Test func `the schema knows every key that a file can have`() throws {
        let properties = try #require(OperationSchema.value["properties"]?.object)
        guard case .object(let keys) = OperationKeys.file else { return #expect(Bool(false)) }
        #expect(Set(properties.keys) == Set(keys.map(\.name)))
        #expect(OperationSchema.value["required"] == ["title"])
        #expect(properties["overlap"]?["enum"]?.array?.contains("queue") == true)
    }
}
