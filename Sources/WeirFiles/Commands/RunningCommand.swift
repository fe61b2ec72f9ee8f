#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
package import NIOCore
import NIOPosix
import Synchronization
import WeirStates

/// A command that runs: what it prints, how it ends, and the one way to stop it.
///
/// It runs under a small program of its own, which ends it with everything that it began, also when this process dies.
/// Read ``output``, and ``errors`` where there is one, and then ask for the ``end()``: who does not read holds the command
/// back as soon as a pipe is full.
package final class RunningCommand: Sendable {
    /// What it prints; the end comes when nothing of the command is left.
    package let output: CommandPipe
    /// What it prints for the person who runs it; nil on a terminal, which has one channel only.
    package let errors: CommandPipe?
    private let report: CommandPipe
    private let process: pid_t
    private let lifeline: Mutex<Int32?>

    private init(output: CommandPipe, errors: CommandPipe?, report: CommandPipe, process: pid_t, lifeline: Int32) {
        self.output = output
        self.errors = errors
        self.report = report
        self.process = process
        self.lifeline = Mutex(lifeline)
    }

    deinit { hangUp() }

    /// Starts a command.
    ///
    /// Returns when the helper program runs, which may still find that the command cannot: ``end()`` says so.
    /// - Parameters:
    ///   - launch: What to run; without mistakes.
    ///   - helper: The program that runs it.
    ///   - group: Where pipes are read.
    /// - Returns: The command, which may not have begun yet.
    /// - Throws: `CommandFailure` when the helper program cannot be started.
    package static func start(
        _ launch: CommandLaunch, by helper: CommandHelper,
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws -> RunningCommand {
        var descriptors = Descriptors()
        defer { descriptors.closeAll() }
        let lifeline = try descriptors.pipe()
        let output = try descriptors.pipe()
        let errors = launch.terminal == nil ? try descriptors.pipe() : nil
        let report = try descriptors.pipe()
        var given = [lifeline.read, output.write, errors?.write ?? output.write, report.write]
        if let input = launch.input { given.append(try descriptors.file(holding: input)) }
        let places = given.enumerated().map { (Int32(clamping: $0), $1) }
        let process = try ChildProcess.start(
            helper.path, arguments: launch.helperArguments,
            environment: launch.environment.map { "\($0.key)=\($0.value)" },
            descriptors: Dictionary(places) { $1 }, as: .helper)
        for descriptor in given { descriptors.close(descriptor) }
        // A lifeline nobody could write to at once is no reason to wait.
        _ = fcntl(lifeline.write, F_SETFL, O_NONBLOCK)
        descriptors.release(lifeline.write)
        do {
            return RunningCommand(
                output: try await open(output.read, &descriptors, group),
                errors: try await open(errors?.read, &descriptors, group),
                report: try await open(report.read, &descriptors, group), process: process, lifeline: lifeline.write)
        } catch {
            // Nobody would ever read it: it ends with the lifeline.
            descriptors.adopt(lifeline.write)
            descriptors.closeAll()
            ChildProcess.reap(process)
            throw error
        }
    }

    private static func open(
        _ descriptor: Int32, _ descriptors: inout Descriptors, _ group: any EventLoopGroup
    ) async throws -> CommandPipe {
        descriptors.release(descriptor)
        return try await CommandPipe.open(descriptor, on: group)
    }

    private static func open(
        _ descriptor: Int32?, _ descriptors: inout Descriptors, _ group: any EventLoopGroup
    ) async throws -> CommandPipe? {
        guard let descriptor else { return nil }
        descriptors.release(descriptor)
        return try await CommandPipe.open(descriptor, on: group)
    }

    /// Asks the command to stop; what is left of it after its grace period is killed.
    ///
    /// Returns at once.
    package func stop() {
        lifeline.withLock { lifeline in
            guard let lifeline else { return }
            _ = write(lifeline, [UInt8(ascii: "s")], 1)
        }
    }

    /// Kills the command with everything that it began.
    ///
    /// Returns at once.
    package func hangUp() {
        lifeline.withLock { lifeline in
            guard let descriptor = lifeline else { return }
            var descriptors = Descriptors()
            descriptors.adopt(descriptor)
            descriptors.closeAll()
            lifeline = nil
        }
    }

    /// How it ended: suspends until nothing that it began is left.
    ///
    /// Call it once.
    package func end() async -> CommandEnd {
        // What was reported before its end counts; nothing was, if the helper program was killed.
        var text = ""
        while let buffer = await report.next() {
            if text.utf8.count < 4_096 { text += String(buffer: buffer) }
        }
        hangUp()
        ChildProcess.reap(process)
        return CommandEnd(report: text)
    }
}
