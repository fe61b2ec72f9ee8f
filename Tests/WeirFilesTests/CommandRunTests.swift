import Foundation
import Testing
import WeirFlows
import WeirOperations
import WeirStates

@testable import WeirFiles

@Suite(.timeLimit(.minutes(15)))
struct CommandRunTests {
    @Test func `a program that prints lines passes through the states of its patterns`() async throws {
        let trial = try await FileTrial.run(
            """
            title: Copy
            shell: |
              echo connecting to the server
              for n in 1 2 3; do echo "$n of 3 files"; done
              echo done >&2
            states:
              connecting: {match: '^connecting'}
              copying: {match: '(?<completed>\\d+) of (?<total>\\d+) files', show: "File {{completed}} follows"}
            succeeded: {show: All is copied}
            """)
        #expect(trial.names == ["waiting", "running", "connecting", "copying", "succeeded"])
        #expect(trial.states.compactMap(\.progress).map(\.completed) == [1, 2, 3])
        #expect(trial.last == .succeeded(StateDetails(show: "All is copied")))
        #expect(
            trial.lines.filter { !$0.hasPrefix("stderr") }
                == ["connecting to the server", "1 of 3 files", "2 of 3 files", "3 of 3 files"])
        #expect(trial.lines.contains("stderr: done"))
    }

    @Test func `the output says how many programs a run left running, unless the file keeps them`() async throws {
        let script = "title: Left\nshell: 'sleep 600 >/dev/null 2>&1 & echo $!'\n"
        let ended = try await FileTrial.run(script)
        #expect(ended.lines.contains { $0.contains("1 program that it left running was ended.") })
        let kept = try await FileTrial.run(script + "keep: true\n")
        #expect(kept.lines.count == 1)
        let process = try #require(kept.lines.first.flatMap { Int32($0) })
        #expect(isAlive(process))
        kill(process, SIGKILL)
    }

    @Test(arguments: [
        ("#!/bin/sh\r\necho x\r\n", "ends with a carriage return"),
        ("#!/no/such/shell -e\necho x\n", "The interpreter “/no/such/shell”"),
    ])
    func `a script that cannot start names its interpreter or its carriage return`(_ text: String, _ words: String)
        async throws
    {
        let script = FileManager.default.temporaryDirectory.appending(path: "script-\(UUID().uuidString)")
        try Data(text.utf8).write(to: script)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: script) } }
        let trial = try await FileTrial.run("title: Script\ncommand: [\"\(script.path)\"]\n")
        guard case .failed(let problem) = trial.last else {
            Issue.record("it did not fail")
            return
        }
        #expect(problem.message.contains(words))
    }

    @Test func `lines and the pipe name states that no file declares, with values and a progress`() async throws {
        let trial = try await FileTrial.run(
            #"""
            title: Report
            shell: |
              echo '::weir uploading completed=40 total=100 unit=bytes file="a b.bin"::'
              echo '{"state": "checking", "completed": 1, "total": 2, "files": 7, "show": "Half"}' > "$WEIR_STATES"
              echo plain
            """#)
        #expect(Set(trial.names) == ["waiting", "running", "uploading", "checking", "succeeded"])
        let details = trial.states.compactMap { state -> StateDetails? in
            if case .active(_, let details) = state { details } else { nil }
        }
        #expect(
            details.contains(
                StateDetails(values: ["file": "a b.bin"], progress: WorkProgress(40, of: 100, unit: .bytes))))
        #expect(details.contains(StateDetails(show: "Half", values: ["files": 7], progress: WorkProgress(1, of: 2))))
        #expect(trial.lines == ["plain"], "a report is shown as output")
    }

    @Test func `a line that is recorded in pieces says so, and is the printed line when they are joined`() async throws
    {
        let trial = try await FileTrial.run(
            #"""
            title: Long
            shell: |
              printf '{"a":"%s"}\n' "$(head -c 43000 /dev/zero | tr '\0' x)"
              echo next
            """#)
        #expect(trial.lines == [#"{"a":"\#(String(repeating: "x", count: 43_000))"}"#, "next"])
    }

    @Test func `nothing that a program prints ends its run`() async throws {
        let trial = try await FileTrial.run(
            #"""
            title: Forger
            shell: |
              echo '::weir succeeded::'
              echo '::weir failed message=forged::'
              echo '::weir cancelled::'
              echo '{"state": "succeeded"}' > "$WEIR_STATES"
              exit 3
            """#)
        #expect(trial.names == ["waiting", "running", "failed"])
        #expect(trial.message == "The script ended with exit code 3.")
        #expect(trial.lines.contains("::weir succeeded::"), "a line that is no report is output")
    }

    @Test func `a strict file takes no state that it does not declare`() async throws {
        let trial = try await FileTrial.run(
            """
            title: Strict
            strict: true
            shell: "echo '::weir unknown::'; echo '::weir unknown::'; echo '::weir known::'"
            states: {known: {}}
            """)
        #expect(trial.names == ["waiting", "running", "known", "succeeded"])
        #expect(trial.lines.filter { $0.hasPrefix("notice: The state “unknown”") }.count == 1)
    }

    @Test func `a run that is cancelled is stopping until its program is gone, and keeps what it prints`() async throws
    {
        let trial = try await FileTrial.run(
            """
            title: Slow
            shell: |
              trap 'echo "::weir late::"; echo cleaning up; exit 0' TERM
              echo ready
              while :; do sleep 0.02; done
            states: {ready: {match: ready}}
            """
        ) { run, state in
            if state.name == "ready" { run.cancel(CancellationCause("enough")) }
        }
        #expect(trial.names == ["waiting", "running", "ready", "stopping", "cancelled"])
        // The shell may say of the program it waits for that the signal ended that too.
        #expect(trial.lines.filter { !$0.hasPrefix("stderr") } == ["ready", "cleaning up"])
        guard case .cancelled(let cause) = trial.outcome else { return #expect(Bool(false)) }
        #expect(cause.description == "enough")
    }

    @Test(arguments: [
        "command: [echo, '{{{{.Names}}', '{{a}}']", "shell: echo '{{.Names}}' \"$WEIR_INPUT_A\"",
        "literal: true\ncommand: [sh, -c, 'echo \"{{.Names}} $WEIR_INPUT_A\"']",
        "literal: true\nshell: echo '{{.Names}}' \"$WEIR_INPUT_A\"",
        "command: [cat]\nstdin: '{{{{.Names}} {{ a }}'",
        "command: [sh, -c, 'echo \"$B\"']\nenv: {B: '{{{{.Names}} {{a}}'}",
    ])
    func `braces that belong to the program reach it`(program: String) async throws {
        let trial = try await FileTrial.run("title: T\ninputs: [{name: a}]\n" + program, ["a": "{{x}}"])
        #expect(trial.lines == ["{{.Names}} {{x}}"])
    }

    @Test func `a secret across the cut of a long line, two writes or a shortened text is masked`() async throws {
        let trial = try await FileTrial.run(
            """
            title: T
            inputs: [{name: token, type: secret}]
            shell: |
              head -c 16376 /dev/zero | tr '\\0' x
              printf '%s\\n' "$WEIR_INPUT_TOKEN"
              printf '%.6s' "$WEIR_INPUT_TOKEN" >&2
              printf '%s\\n' "${WEIR_INPUT_TOKEN#??????}" >&2
              echo "::weir found token=$WEIR_INPUT_TOKEN::"
              left=$(head -c 495 /dev/zero | tr '\\0' y)
              echo "{\\"state\\": \\"told\\", \\"note\\": \\"$left$WEIR_INPUT_TOKEN$left$left\\"}" > "$WEIR_STATES"
            """, ["token": "hunter2-hunter2"])
        let errors = trial.lines.filter { $0.hasPrefix("stderr: ") }
        #expect(errors == ["stderr: •••"])
        #expect(
            trial.lines.filter { !errors.contains($0) }.joined() == String(repeating: "x", count: 16_376) + "•••")
        let values = trial.states.compactMap { state -> [String: JSONValue]? in
            guard case .active(_, let details) = state else { return nil }
            return details.values
        }
        #expect(values.contains { $0["token"] == "•••" })
        #expect(values.contains { $0["note"] == .string(String(repeating: "y", count: 495) + "•••yy…") })
        guard case .succeeded = trial.last else { return #expect(Bool(false), "\(trial.states)") }
    }

    @Test func `the beginning of a secret that a killed program printed is masked`() async throws {
        let trial = try await FileTrial.run(
            """
            title: T
            inputs: [{name: token, type: secret}]
            shell: |
              printf 'good hunter2'
              printf 'bad %.9s' "$WEIR_INPUT_TOKEN" >&2
              kill -9 $$
            """, ["token": "hunter2-secret2"])
        #expect(Set(trial.lines) == ["good •••", "stderr: bad •••"])
    }

    @Test func `a program has the umask of its file, or else that of the settings`() async throws {
        let settings = FileMask("027")
        #expect(try await FileTrial.run("title: T\nshell: umask", umask: settings).lines == ["0027"])
        #expect(try await FileTrial.run("title: T\numask: 002\nshell: umask", umask: settings).lines == ["0002"])
    }

    @Test func `an argument is left out only if none of its inputs has a value`() throws {
        let definition = try FileTrial.definition(
            """
            title: T
            inputs: [{name: a}, {name: b}, {name: n, type: integer}]
            command: [x, "e=[{{a}}]", "{{a}}", "{{a}}:{{b}}", "{{n}}{{b}}", last]
            env: {BOTH: "{{a}}:{{b}}", ONE: "{{a}}"}
            """)
        func launch(_ values: [String: JSONValue]) throws -> CommandLaunch {
            let environment = CommandEnvironment(folder: URL(filePath: "/"), environment: [:], helper: nil)
            return try definition.launch(CommandInput(values), in: environment, states: nil)
        }
        #expect(try launch(["b": "2"]).arguments == ["x", ":2", "2", "last"])
        #expect(try launch([:]).arguments == ["x", "last"])
        #expect(try launch(["b": "2"]).environment["BOTH"] == ":2")
        #expect(try launch(["b": "2"]).environment["ONE"] == nil)
        // The number that is absent does not excuse the hyphen of the text that takes its place.
        #expect(throws: OperationFailure.self) { try launch(["b": "-f"]) }
        #expect(try launch(["a": "", "n": -1]).arguments == ["x", "-1", "last"])
    }

    @Test func `an empty value that a step is given is an argument`() throws {
        let text = """
            title: T
            steps:
              - {name: one, command: [x]}
              - {name: two, command: [x, "e=[{{e}}]", "{{e}}", "{{f}}", last], with: {e: "{{steps.one.e}}", f: b}}
            """
        let (definition, mistakes) = DefinitionReader.read(text, id: "t", file: "t.yml")
        #expect(mistakes.isEmpty)
        let step = try #require(definition?.parts.last)
        let environment = CommandEnvironment(folder: URL(filePath: "/"), environment: [:], helper: nil)
        let launch = try step.launch(CommandInput(["e": "", "f": "b"]), in: environment, states: nil)
        #expect(launch.arguments == ["x", "e=[]", "", "b", "last"])
    }

    @Test(
        arguments: [
            (["2 ERROR: duplicate key"] + (1...30).map { "1 row \($0)" }, "ERROR: duplicate key"),
            (["1 Error: early", "2 ValueError: bad", "1 row 1", "2 cleaning up"], "ValueError: bad"),
            (["1 panic: boom", "1 goroutine 1 [running]:", "2 exit status 2"], "panic: boom"),
            (["2 error: retrying"] + (1...20).map { "2 try \($0)" }, "try 20"),
            (["1 0 errors", "1 an erroneous row", "2 ", "1  "], "an erroneous row"),
            (["1 line", "2 other", "1 \t"], "other"), (["1 "], nil),
        ] as [([String], String?)])
    func `the reason of a failure shows the last line that names an error, or the last line`(
        printed: [String], shown: String?
    ) throws {
        var telling = TellingLine()
        let apart = TellingLine.together + .milliseconds(1)
        for (index, line) in printed.enumerated() {
            let channel: OutputChannel = line.hasPrefix("2") ? .standardError : .standardOutput
            let text = String(line.dropFirst(2))
            telling.take(TellingLine.Line(text: text, number: Int64(index + 1), at: apart * index), on: channel)
        }
        #expect(telling.line?.text == shown)
        let number = telling.line?.number ?? 1
        #expect(shown == nil || printed[Int(number) - 1].hasSuffix(telling.line?.text ?? "-"))
    }

    @Test func `of lines of both channels that arrive together, that of standard error is the last`() {
        var telling = TellingLine()
        telling.take(.init(text: "order 7 has no rate", at: .zero), on: .standardError)
        telling.take(.init(text: "reading orders", at: TellingLine.together), on: .standardOutput)
        #expect(telling.line?.text == "order 7 has no rate")
        telling.take(.init(text: "cannot open", at: TellingLine.together * 3), on: .standardOutput)
        #expect(telling.line?.text == "cannot open")
    }

    @Test func `the reason of a failure has the number of its line`() async throws {
        let trial = try await FileTrial.run("{title: T, shell: 'echo one >&2; echo two >&2; exit 4'}")
        let problem = try #require(trial.states.last?.problem)
        #expect(problem.last == "two" && problem.line == 2)
    }

    @Test func `the values and the last line of an attempt are not those of the next one`() throws {
        var tracker = StateTracker(try FileTrial.definition("{title: T, command: [x]}"), CommandInput([:]))
        _ = tracker.begin()
        _ = tracker.take("::weir got key=first::", on: .standardOutput)
        tracker.telling.take(.init(text: "no space left"), on: .standardError)
        #expect(tracker.known == ["key": "first"])
        #expect(tracker.telling.line?.text == "no space left")
        #expect(tracker.begin() == .active(CommandState.running, StateDetails()))
        #expect(tracker.known.isEmpty)
        #expect(tracker.telling.line == nil)
    }

    @Test func `a program that ignores the signal is killed after its grace period`() async throws {
        let trial = try await FileTrial.run(
            """
            title: Stubborn
            stop_grace_period: 100ms
            shell: "trap '' TERM; echo ready; while :; do sleep 0.02; done"
            states: {ready: {match: ready}}
            """
        ) { run, state in
            if state.name == "ready" { run.cancel(CancellationCause("enough")) }
        }
        #expect(trial.names == ["waiting", "running", "ready", "stopping", "cancelled"])
    }

    @Test func `a run that takes too long fails when its program is gone`() async throws {
        let clock = VirtualClock()
        let trial = try await FileTrial.run(
            """
            title: Endless
            shell: "echo ready; while :; do sleep 0.02; done"
            states: {ready: {match: ready}}
            """, clock: clock, timeout: .seconds(60)
        ) { _, state in
            guard state.name == "ready" else { return }
            Task {
                // The program may be ready before anybody waits for the end of its time.
                _ = await clock.sleepers.first { $0 == 1 }
                clock.advance(by: .seconds(60))
            }
        }
        #expect(trial.names == ["waiting", "running", "ready", "stopping", "failed"])
        #expect(trial.message?.hasPrefix("It took longer than") == true)
    }

    @Test func `a failed program is run again, and a missing one is not`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let trial = try await FileTrial.run(
            """
            title: Third time
            shell: "echo x >> tries; test $(wc -l < tries) -eq 3"
            retry: {limit: 4, interval: 1h}
            """, folder: folder, clock: VirtualClock(advancing: .onSleep))
        #expect(trial.names == ["waiting", "running", "retrying", "running", "retrying", "running", "succeeded"])
        let missing = try await FileTrial.run(
            """
            title: Missing
            command: [no-such-program-at-all]
            retry: {limit: 4, interval: 1h}
            """)
        #expect(missing.names == ["waiting", "failed"] || missing.names == ["waiting", "running", "failed"])
        #expect(missing.message?.hasPrefix("The program “no-such-program-at-all” is not there.") == true)
    }

    @Test func `ends are told in words`() async throws {
        let killed = try await FileTrial.run("{title: Killed, shell: kill -SEGV $$}")
        #expect(killed.message?.contains("SIGSEGV: it reached for memory that is not its own") == true)
        let nowhere = try await FileTrial.run("{title: Nowhere, command: [echo, hi], working_dir: no/such/folder}")
        #expect(nowhere.message?.hasPrefix("The folder that the command should run in is not there.") == true)
        let code = try await FileTrial.run(
            "{title: Code, shell: 'echo no space left >&2; exit 4', failed: {show: The backup failed.}}")
        #expect(code.message == "The backup failed. The script ended with exit code 4.")
        guard case .failed(let problem) = code.last else { return #expect(Bool(false)) }
        #expect(problem.last == "no space left" && problem.code == 4)
        let warned = try await FileTrial.run("{title: Warned, shell: exit 24, succeeded: {exit: [0, 24]}}")
        #expect(warned.names.last == "succeeded")
    }

    @Test func `a progress that overwrites itself is seen and not kept, with a terminal and without`() async throws {
        for terminal in ["false", "true"] {
            let trial = try await FileTrial.run(
                """
                title: Meter
                terminal: \(terminal)
                shell: |
                  printf ' 10%%\\r'; printf ' 50%%\\r'; printf '100%%\\n'
                  test -t 1 && echo terminal
                  true
                states: {copying: {match: '(?<completed>\\d+)%', progress: percent}}
                """)
            #expect(trial.states.compactMap(\.progress).last?.completed == 100)
            #expect(trial.lines == ["100%"] + (terminal == "true" ? ["terminal"] : []))
        }
    }

    @Test func `a progress that was wiped away is not what a failed program said last`() async throws {
        let trial = try await FileTrial.run(
            #"{title: Wiped, shell: 'printf "no space left\n50%%\r    \r\n" >&2; exit 4'}"#)
        guard case .failed(let problem) = trial.last else { return #expect(Bool(false)) }
        #expect(problem.last == "no space left" && problem.code == 4)
    }

    @Test func `a hundred thousand lines are kept, and many new states slow only their own program`() async throws {
        let many = try await FileTrial.run(
            """
            title: Many
            command: [seq, "100000"]
            states: {counting: {match: '^(?<completed>\\d+)$', show: "{{completed}}"}}
            """)
        #expect(many.lines.count == 100_000 && many.names.last == "succeeded")
        #expect(many.states.compactMap(\.progress).last?.completed == 100_000)
        let states = try await FileTrial.run(
            """
            title: States
            shell: "for n in $(seq 600); do echo ::weir a::; echo ::weir b::; done"
            """, clock: VirtualClock(advancing: .onSleep))
        #expect(states.names.filter { $0 == "a" }.count == 600)
    }

    @Test func `bytes that are no text and a line that never ends do no harm`() async throws {
        let trial = try await FileTrial.run(
            """
            title: Bytes
            shell: |
              printf 'a\\377b\\n'
              head -c 1000000 /dev/zero | tr '\\\\0' x
            states: {seen: {match: b}}
            """)
        #expect(trial.lines.first == "a\u{FFFD}b")
        #expect(trial.lines.dropFirst().joined().utf8.count == 1_000_000)
        #expect(trial.names == ["waiting", "running", "seen", "succeeded"])
    }
}
