import Foundation
import Testing
import WeirOperations
import WeirStates

@testable import WeirFiles

@Suite(.timeLimit(.minutes(15)))
struct HostileInputTests {
    /// Prints each argument between marks, so that one is told from two.
    private static let printer = #"""
        title: Arguments
        inputs: [{name: value, type: multiline, max_length: 100000}, {name: other}]
        command: [sh, -c, 'for a in "$@"; do printf "<%s>" "$a"; done', sh, "--", "{{value}}", "x{{other}}"]
        """#

    private static let hostile = [
        "plain", "two words", "\"quoted\"", "it's", "$(touch /tmp/never)", "`id`", "; rm -rf ~", "a\nb", "* ? [a-z]",
        "\\", "-rf", "--", "{{other}}", "é\u{301}𝄞", "&& echo | cat > x", "${HOME}", "%s%n", "\u{1B}[31m", " ",
    ]

    @Test(arguments: hostile) func `whatever a person writes is exactly one argument`(_ value: String) async throws {
        let trial = try await FileTrial.run(Self.printer, ["value": .string(value)])
        #expect(trial.lines.joined(separator: "\n") == "<--><\(value)>")
    }

    @Test(arguments: hostile) func `a shell gets what a person writes as a variable, and never as text`(
        _ value: String
    ) async throws {
        let trial = try await FileTrial.run(
            #"{title: Shell, inputs: [{name: value, type: multiline}], shell: 'printf "<%s>" "$WEIR_INPUT_VALUE"'}"#,
            ["value": .string(value)])
        #expect(trial.lines.joined(separator: "\n") == "<\(value)>")
    }

    @Test func `a value that begins with a hyphen is refused where it could be an option`() async throws {
        let text = "{title: T, inputs: [{name: file, label: File}], command: [ls, '{{file}}']}"
        let trial = try await FileTrial.run(text, ["file": "-rf"])
        #expect(trial.message?.hasPrefix("“File” begins with a hyphen") == true)
        let ended = "{title: T, inputs: [{name: file}], command: [printf, '%s|', --, '{{file}}']}"
        #expect(try await FileTrial.run(ended, ["file": "-rf"]).message == nil)
        #expect(trial.message?.contains("put -- before it") == true)
        let number = "{title: T, inputs: [{name: n, type: integer}], command: [printf, '%s', '{{n}}']}"
        #expect(try await FileTrial.run(number, ["n": -5]).lines == ["-5"])
    }

    @Test func `NUL and what is too long are refused in words`() async throws {
        let text =
            "{title: T, inputs: [{name: v, label: Value, type: multiline, max_length: 100000}], command: [echo, '{{v}}']}"
        let nul = try await FileTrial.run(text, ["v": "a\0b"])
        #expect(nul.message?.hasPrefix("“Value” holds a NUL character") == true)
        let long = try await FileTrial.run(text, ["v": .string(String(repeating: "é", count: 70_000))])
        #expect(long.message?.hasPrefix("“Value” makes an argument of 140000 bytes") == true)
        let shell = "{title: T, inputs: [{name: v, type: multiline, max_length: 100000}], shell: 'true'}"
        let variable = try await FileTrial.run(shell, ["v": .string(String(repeating: "é", count: 70_000))])
        #expect(variable.message?.contains("WEIR_INPUT_V") == true)
    }

    @Test func `an optional input without a value takes its argument with it`() async throws {
        let text = """
            title: T
            inputs: [{name: table}, {name: verbose, type: switch}]
            command: [printf, "<%s>", a, "{{table}}", "--table={{table}}", {if: verbose, args: [--verbose]}, {if: table, args: [-t, "{{table}}"]}]
            """
        #expect(try await FileTrial.run(text, [:]).lines == ["<a>"])
        #expect(
            try await FileTrial.run(text, ["table": "x", "verbose": true]).lines
                == ["<a><x><--table=x><--verbose><-t><x>"])
        #expect(try await FileTrial.run(text, ["verbose": false]).lines == ["<a>"])
    }

    @Test func `a secret reaches the program by its environment or its input`() async throws {
        let trial = try await FileTrial.run(
            """
            title: T
            inputs: [{name: password, type: secret}]
            command: [sh, -c, '(printf "%s/" "$PGPASSWORD"; cat) | tr a-z A-Z']
            env: {PGPASSWORD: "{{password}}"}
            stdin: "from {{password}}"
            """, ["password": "correct horse"])
        #expect(trial.lines == ["CORRECT HORSE/FROM CORRECT HORSE"])
    }

    @Test(arguments: [(131_066, nil), (131_067, "The variable TEXT would be 131067 bytes long")])
    func `a variable that is one byte too long is told with what to do instead`(size: Int, problem: String?)
        async throws
    {
        let text = """
            title: T
            inputs: [{name: a, type: multiline}, {name: b, type: multiline}]
            command: ["true"]
            env: {TEXT: "{{a}}{{b}}"}
            """
        let half = String(repeating: "a", count: 65_536)
        let rest = String(repeating: "b", count: size - 65_536)
        let message = try await FileTrial.run(text, ["a": .string(half), "b": .string(rest)]).message
        if let problem {
            #expect(message?.contains(problem) == true && message?.contains("on standard input") == true)
        } else {
            #expect(message == nil)
        }
    }

    @Test func `a program has only the variables that are named`() async throws {
        let trial = try await FileTrial.run("{title: T, env: {TZ: UTC}, command: [env]}")
        let names = Set(trial.lines.map { $0.prefix { $0 != "=" } })
        #expect(names.isSubset(of: ["PATH", "LANG", "TZ", "PYTHONUNBUFFERED", "WEIR_STATES", "PWD", "SHLVL", "_"]))
    }

    @Test func `a pattern made to be slow gives up, and is no longer tried`() async throws {
        let line = String(repeating: "a", count: 4_000) + "!"
        var tracker = StateTracker(
            try FileTrial.definition("{title: T, command: [x], states: {slow: {match: '^(a|aa|a*)*$'}}}"),
            CommandInput([:]))
        let first = tracker.take(line, on: .standardOutput)
        #expect(first.notice?.contains("took too long") == true && first.state == nil)
        let others = (0..<2_000).map { _ in tracker.take(line, on: .standardOutput) }
        #expect(others.compactMap(\.notice).map { $0.contains("given up for the rest of this run") } == [true])
        #expect(tracker.givenUp == "slow")
    }

    @Test(arguments: [(19, "slow"), (20, nil)])
    func `a pattern that is slow now and then still counts, until it was twenty times`(times: Int, name: String?) throws
    {
        var tracker = StateTracker(
            try FileTrial.definition("{title: T, command: [x], states: {slow: {match: '^(a|aa|a*)*$'}}}"),
            CommandInput([:]))
        for _ in 0..<times { _ = tracker.take(String(repeating: "a", count: 4_000) + "!", on: .standardOutput) }
        #expect(tracker.take("aaa", on: .standardOutput).state?.name == name)
    }
}
