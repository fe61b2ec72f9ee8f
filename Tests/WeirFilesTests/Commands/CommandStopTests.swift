import Foundation
import NIOCore
import Testing
import TestSupport
@testable import WeirFiles

@Suite(.timeLimit(.minutes(15)))
struct CommandStopTests {
    @Test func `a command that is asked to stop has its say before it ends`() async throws {
        let trial = try await CommandTrial.shell(
            "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done",
            onOutput: { command, output in
                if output == "ready\n" { command.stop() }
            })
        #expect(trial.output == "ready\nbye\n")
        #expect(trial.code == 7)
    }

    @Test func `a command that is asked to stop while it starts is ended by the signal`() async throws {
        for _ in 0..<40 {
            var launch = CommandLaunch(["/bin/sleep", "600"], environment: ["PATH": CommandTrial.path])
            launch.stopGracePeriod = .seconds(60)
            let command = try await RunningCommand.start(launch, by: CommandHelper())
            command.stop()
            while await command.output.next() != nil {}
            let end = await command.end()
            guard case .signalled(.terminate, _) = end else { return #expect(Bool(false), "\(end)") }
        }
    }

    @Test func `the signal that asks is the one that was chosen`() async throws {
        let trial = try await CommandTrial.shell(
            "trap 'exit 9' INT; trap '' TERM; echo ready; while :; do sleep 0.05; done",
            change: { $0.stopSignal = ProcessSignal("int") ?? .kill }
        ) { command, _ in command.stop() }
        #expect(trial.code == 9)
    }

    @Test func `a command that ignores the signal is killed after its grace period`() async throws {
        let trial = try await CommandTrial.shell(
            "trap '' TERM; echo ready; while :; do sleep 0.05; done",
            change: { $0.stopGracePeriod = .milliseconds(200) }
        ) { command, _ in command.stop() }
        #expect(trial.signal == .kill)
    }

    @Test func `what a command leaves behind is ended before its end is told, in whichever group and session`()
        async throws
    {
        // Each of the two says when it stands.
        let trial = try await CommandTrial.shell(
            "trap a=1 USR1; trap b=1 USR2; "
                + "(trap '' TERM; echo $(exec sh -c 'echo $PPID'); kill -USR1 $$; sleep 600) & "
                + "setsid sh -c 'trap \"\" TERM; echo $$; kill -USR2 $0; sleep 600' $$ & "
                + "until [ \"$a$b\" = 11 ]; do sleep 0.01; done; exit 5",
            change: { $0.stopGracePeriod = .milliseconds(200) })
        #expect(trial.code == 5)
        let left = trial.output.split(separator: "\n").compactMap { Int32($0) }
        #expect(left.count == 2)
        #expect(left.filter(isAlive) == [])
    }

    @Test func `the processes that a command leaves running are counted, or kept`() async throws {
        let script = "sleep 600 >/dev/null 2>&1 & echo $!; setsid sleep 600 >/dev/null 2>&1 & echo $!; exit 5"
        let ended = try await CommandTrial.shell(script)
        guard case .exited(5, let usage) = ended.end else {
            Issue.record("it did not end well")
            return
        }
        #expect(usage.outlived == 2)
        let kept = try await CommandTrial.shell(script, change: { $0.keepsOthers = true })
        guard case .exited(5, let usage) = kept.end else {
            Issue.record("it did not end well")
            return
        }
        #expect(usage.outlived == 0)
        let left = kept.output.split(separator: "\n").compactMap { Int32($0) }
        #expect(left.count == 2 && left.allSatisfy(isAlive))
        for process in left { kill(process, SIGKILL) }
    }

    @Test func `stopping reaches all that a command began`() async throws {
        let trial = try await CommandTrial.shell(
            "sh -c 'trap \"echo inner; exit\" TERM; echo $$; while :; do sleep 0.05; done' & wait $!; echo outer",
            onOutput: { command, _ in command.stop() })
        let inner = trial.output.split(separator: "\n").first.flatMap { Int32($0) }
        #expect(inner.map(isAlive) == false)
        #expect(trial.output.contains("inner"))
    }

    @Test func `a process that a command forks at the moment of the stop also gets the signal`() async throws {
        let begun = ContinuousClock.now
        for _ in 0..<10 {
            let trial = try await CommandTrial.shell(
                "echo ready; for i in $(seq 1000); do sleep 600 & done; wait",
                change: { $0.stopGracePeriod = .seconds(60) }
            ) { command, _ in command.stop() }
            #expect(trial.signal == ProcessSignal("term"))
        }
        #expect(ContinuousClock.now - begun < .seconds(60))
    }

    @Test func `a command whose server goes is killed at once with all it began`() async throws {
        let command = try await RunningCommand.start(
            CommandLaunch(
                ["/bin/sh", "-c", "trap '' TERM; setsid sh -c 'echo $$; exec sleep 600' & echo $$; exec sleep 600"],
                environment: ["PATH": CommandTrial.path]), by: CommandHelper())
        var output = ""
        while output.split(separator: "\n").count < 2, let buffer = await command.output.next() {
            output += String(buffer: buffer)
        }
        let processes = output.split(separator: "\n").compactMap { Int32($0) }
        #expect(processes.filter(isAlive).count == 2)
        command.hangUp()
        while await command.output.next() != nil {}
        let end = await command.end()
        guard case .signalled(.kill, _) = end else { return #expect(Bool(false), "\(end)") }
        #expect(processes.filter(isAlive) == [])
    }

    @Test(arguments: ["kill -STOP $PPID", "while :; do kill -STOP $PPID; sleep 0.01; done &"])
    func `a command that stops the helper program is killed after its grace period with all it began`(stop: String)
        async throws
    {
        let trial = try await CommandTrial.shell(
            "trap '' TERM; \(stop)\n setsid sleep 600 & echo $! $$; wait; sleep 600",
            change: { $0.stopGracePeriod = .milliseconds(200) }
        ) { command, _ in command.stop() }
        #expect(trial.signal == .kill)
        let processes = trial.output.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
        #expect(processes.count == 2 && processes.filter(isAlive) == [])
    }

    @Test func `a command that stops the helper program and ends is reported as ended`() async throws {
        let trial = try await CommandTrial.shell("kill -STOP $PPID; exit 3")
        #expect(trial.code == 3)
    }

    @Test func `the command line of the helper program does not contain the command`() async throws {
        let trial = try await CommandTrial.shell("tr '\\0' ' ' </proc/$PPID/cmdline; : MARK")
        #expect(trial.output == "weir-exec ")
    }

    @Test func `a helper program that is killed takes the command with it, and the end is told as unknown`()
        async throws
    {
        let command = try await RunningCommand.start(
            CommandLaunch(
                ["/bin/sh", "-c", "echo $$ $PPID; exec sleep 600"], environment: ["PATH": CommandTrial.path]),
            by: CommandHelper())
        let text = await command.output.next().map { String(buffer: $0) } ?? ""
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
        try #require(numbers.count == 2)
        kill(numbers[1], SIGKILL)
        #expect(await command.end() == .lost)
        while await command.output.next() != nil {}
        // A process that ends lets go of its pipes first.
        try await until { !isAlive(numbers[0]) }
    }
}
