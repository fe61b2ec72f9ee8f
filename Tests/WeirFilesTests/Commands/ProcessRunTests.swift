import Foundation
import NIOCore
import Testing
import TestSupport
@testable import WeirFiles

@Suite(.timeLimit(.minutes(15)))
struct ProcessRunTests {
    @Test func `both channels and the exit code of a command arrive`() async throws {
        let trial = try await CommandTrial.shell("echo out; echo err >&2; exit 3")
        #expect(trial.output == "out\n")
        #expect(trial.errors == "err\n")
        #expect(trial.code == 3)
    }

    @Test func `whoever reads on at the end of what a command printed is at the end again`() async throws {
        let command = try await RunningCommand.start(CommandLaunch(["/bin/echo", "out"]), by: CommandHelper())
        let isOver = await soon {
            while await command.output.next() != nil {}
            return await command.output.next() == nil
        }
        #expect(isOver == true)
        guard case .exited(0, _) = await command.end() else {
            Issue.record("it did not end well")
            return
        }
    }

    @Test func `a program that is not there, cannot be run or has no folder says which`() async throws {
        func failure(_ launch: CommandLaunch) async throws -> CommandFailure? {
            guard case .notStarted(let failure) = try await CommandTrial.run(launch).end else { return nil }
            return failure
        }
        let missing = try await failure(CommandLaunch(["no-such-program"], environment: ["PATH": "/usr/bin"]))
        #expect(missing == CommandFailure(step: "exec", error: ENOENT))
        #expect(missing?.sentence(running: "no-such-program").contains("is not there") == true)
        let refused = try await failure(CommandLaunch(["/etc/passwd"]))
        #expect(refused == CommandFailure(step: "exec", error: EACCES))
        var gone = CommandLaunch(["/bin/true"])
        gone.directory = "/no/such/folder"
        let lost = try await failure(gone)
        #expect(lost == CommandFailure(step: "directory", error: ENOENT))
        #expect(lost?.sentence(running: "true").contains("/no/such") == false)
    }

    @Test func `a command without input reads the end of it at once`() async throws {
        let trial = try await CommandTrial.shell("cat; readlink /proc/self/fd/0")
        #expect(trial.output == "/dev/null\n")
    }

    @Test func `the helper takes no processor time while the command does nothing`() async throws {
        // The 14th and 15th fields of a process's line are the clock ticks that it took.
        let trial = try await CommandTrial.shell("sleep 0.5; cut -d' ' -f14,15 /proc/$PPID/stat")
        let ticks = trial.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        #expect(ticks.count == 2)
        #expect(ticks.reduce(0, +) <= 5)
    }

    @Test func `a command that a signal ends is told by the signal`() async throws {
        let trial = try await CommandTrial.shell("kill -SEGV $$")
        #expect(trial.signal?.description == "SIGSEGV")
        #expect(trial.signal?.meaning == "it reached for memory that is not its own")
    }

    @Test func `each argument arrives as it is, whatever is in it`() async throws {
        let words = [
            "", " ", "a b", "$(id)", "`id`", "';rm -rf ~'", "\"", "\n", "-rf", "--", "*", "\\", "é\u{202E}", "%s",
        ]
        let launch = CommandLaunch(["/usr/bin/printf", "%s\\0"] + words, environment: [:])
        let trial = try await CommandTrial.run(launch)
        #expect(trial.output == words.map { $0 + "\0" }.joined())
    }

    @Test func `words that no program can be given are refused in a sentence`() {
        #expect(CommandLaunch([]).mistake != nil)
        #expect(CommandLaunch(["a", "b\0c"]).mistake?.contains("NUL") == true)
        #expect(CommandLaunch(["a", String(repeating: "x", count: 131_072)]).mistake?.contains("131,071") == true)
        #expect(CommandLaunch(["a"], environment: ["A=B": ""]).mistake != nil)
        #expect(CommandLaunch(["a"], environment: ["A": "\0"]).mistake != nil)
        #expect(CommandLaunch(["a", String(repeating: "x", count: 131_071)]).mistake == nil)
    }

    @Test func `arguments that are too long together are refused by the system, in words`() async throws {
        let launch = CommandLaunch(["/bin/true"] + Array(repeating: String(repeating: "x", count: 131_000), count: 200))
        do {
            let trial = try await CommandTrial.run(launch)
            guard case .notStarted(let failure) = trial.end else { return #expect(Bool(false), "it ran") }
            #expect(failure.error == E2BIG)
        } catch let failure as CommandFailure {
            #expect(failure.error == E2BIG)
            #expect(failure.sentence(running: "x").contains("longer than the system allows"))
        }
    }

    @Test func `a command has the environment it was given, no other, and none of the server's files`() async throws {
        let trial = try await CommandTrial.shell(
            "printf '%s\\n' \"$NAME\"; env | cut -d= -f1 | sort; ls /proc/self/fd | wc -l"
        ) { launch in
            launch.environment = ["PATH": CommandTrial.path, "NAME": "a value\nof lines"]
        }
        // The shell sets PWD itself; the last number counts standard input, output and error, and the folder that is read.
        #expect(trial.output == "a value\nof lines\nNAME\nPATH\nPWD\nof lines\n4\n")
    }

    @Test func `standard input is empty, or what was given, however long`() async throws {
        #expect(try await CommandTrial.shell("wc -c").output.contains("0"))
        let long = try await CommandTrial.shell("wc -c") { $0.input = Array(repeating: 65, count: 3_000_000) }
        #expect(long.output.trimmingCharacters(in: .whitespacesAndNewlines) == "3000000")
    }

    @Test func `limits bind the command`() async throws {
        let trial = try await CommandTrial.shell("ulimit -n; ulimit -v; nice") { launch in
            launch.limits = .init(nice: 7, memory: 1 << 30, files: 99)
        }
        #expect(trial.output.split(separator: "\n") == ["99", "1048576", "7"])
    }

    @Test(.enabled(if: geteuid() == 0))
    func `a command runs as the user that it is given, with their groups and home`() async throws {
        let trial = try await CommandTrial.shell("id -un; id -Gn; echo $LOGNAME; cd; pwd") { $0.user = "daemon" }
        let home = String(cString: try #require(getpwnam("daemon")).pointee.pw_dir)
        #expect(trial.output.split(separator: "\n") == ["daemon", "daemon", "daemon", Substring(home)])
    }

    @Test func `a command whose user is not there says so`() async throws {
        let trial = try await CommandTrial.shell("id") { $0.user = "no-such-user" }
        #expect(trial.end == .notStarted(CommandFailure(step: "user", error: ENOENT)))
        let refused = CommandFailure(step: "user", error: EPERM).sentence(running: "id")
        #expect(refused == "The server may not run programs as another user. Run it as root, or remove user.")
    }

    @Test func `on a terminal a program sees one, of the size that was asked for, and its bytes come as they are`()
        async throws
    {
        let trial = try await CommandTrial.shell(
            "test -t 1 && test -t 2 && stty size <&1; printf 'a\\rb\\n'; echo err >&2"
        ) {
            $0.terminal = .init(columns: 100, rows: 30)
        }
        #expect(trial.output == "30 100\na\rb\nerr\n")
        #expect(trial.code == 0)
    }

    @Test(arguments: [false, true])
    func `a command that closes its output early runs on to its end`(onTerminal: Bool) async throws {
        let trial = try await CommandTrial.shell("exec >&- 2>&-; sleep 0.2; exit 4") {
            if onTerminal { $0.terminal = .init() }
        }
        #expect(trial.code == 4)
    }

    @Test func `a gigabyte without a line end passes through in bounded memory`() async {
        // In a process of its own, because its memory is that of all its tests.
        await #expect(processExitsWith: .success) {
            let command = try await RunningCommand.start(
                CommandLaunch(
                    ["/bin/sh", "-c", "head -c 1073741824 /dev/zero"], environment: ["PATH": CommandTrial.path]),
                by: CommandHelper())
            let before = try #require(residentMemory())
            var (count, most) = (0, 0)
            while let buffer = await command.output.next() {
                count += buffer.readableBytes
                most = max(most, buffer.capacity)
            }
            _ = await command.end()
            #expect(count == 1_073_741_824)
            #expect(most <= CommandPipe.readSize)
            #expect(try #require(residentMemory()) - before < 64 * 1_048_576)
        }
    }

    @Test func `who does not read holds the command back`() async throws {
        let command = try await RunningCommand.start(
            CommandLaunch(
                ["/bin/sh", "-c", "yes | head -c 10000000; echo done >&2"], environment: ["PATH": CommandTrial.path]),
            by: CommandHelper())
        var first = await command.output.next()?.readableBytes ?? 0
        #expect(first <= CommandPipe.readSize)
        while let buffer = await command.output.next() { first += buffer.readableBytes }
        #expect(first == 10_000_000)
        #expect(await command.errors?.next().map { String(buffer: $0) } == "done\n")
        _ = await command.end()
    }

    @Test func `two hundred commands run at once`() async throws {
        try await withThrowingTaskGroup(of: Int32?.self) { group in
            for index in 0..<200 {
                group.addTask {
                    try await CommandTrial.shell("read line; exit \(index % 100)") { $0.input = [10] }.code
                }
            }
            var sum: Int32 = 0
            for try await code in group { sum += code ?? -1_000 }
            #expect(sum == 9_900)
        }
    }

    @Test func `a helper program that is missing is told in a sentence`() {
        #expect(throws: CommandHelper.NotFound.self) { try CommandHelper(in: [URL(filePath: "/no/such/folder")]) }
        #expect(CommandHelper.NotFound().description.contains("belongs beside the weir program"))
    }
}
