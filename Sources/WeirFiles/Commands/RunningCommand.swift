import Foundation
import NIOCore
import NIOPosix
import Synchronization
import WeirStates

/// A running command, with its output, its result and the means to stop it.
///
/// It runs under a helper process that kills its whole process tree, even when this process dies. If the command keeps the helper
/// from doing so, this process kills the tree. Read ``output`` and ``errors`` before calling ``end()``, because the command
/// blocks when a pipe is full.
final class RunningCommand: Sendable {
    /// The standard output, which ends when the whole process tree has ended.
    let output: CommandPipe
    /// The standard error, or nil on a terminal, which has one channel only.
    let errors: CommandPipe?
    private let helper: HelperProcess
    private let lifeline: Mutex<Int32?>
    private let stopGracePeriod: Duration
    private let ending: Task<CommandEnd, Never>

    private init(
        _ launch: CommandLaunch, by helper: HelperProcess, output: CommandPipe, errors: CommandPipe?,
        report: CommandPipe, lifeline: Int32
    ) {
        self.output = output
        self.errors = errors
        self.helper = helper
        self.lifeline = Mutex(lifeline)
        stopGracePeriod = launch.stopGracePeriod
        ending = Task { await Self.end(of: helper, report: report, keepsOthers: launch.keepsOthers) }
    }

    deinit { hangUp() }

    /// Starts a command.
    ///
    /// Returns once the helper runs. The helper may still fail to start the command, which ``end()`` reports.
    /// - Parameters:
    ///   - launch: The command, without mistakes.
    ///   - helper: The helper.
    ///   - group: The event loops that read the pipes.
    /// - Returns: The command.
    /// - Throws: `CommandFailure` if the helper cannot be started.
    static func start(
        _ launch: CommandLaunch, by helper: CommandHelper,
        on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws -> RunningCommand {
        guard !FileLimit.isScarce else { throw CommandFailure(step: "helper", error: EMFILE) }
        var descriptors = Descriptors()
        defer { descriptors.closeAll() }
        let lifeline = try descriptors.pipe()
        let output = try descriptors.pipe()
        let errors = launch.terminal == nil ? try descriptors.pipe() : nil
        let report = try descriptors.pipe()
        var given: [Int32: Int32] = [
            0: lifeline.read, 1: output.write, 2: errors?.write ?? output.write, 3: report.write,
            5: try descriptors.file(holding: launch.helperArguments),
        ]
        if let input = launch.input { given[4] = try descriptors.file(holding: input) }
        let process = try HelperProcess(
            helper.path, environment: launch.environment.map { "\($0.key)=\($0.value)" }, descriptors: given)
        for descriptor in given.values { descriptors.close(descriptor) }
        // A write to the lifeline must never block.
        _ = fcntl(lifeline.write, F_SETFL, O_NONBLOCK)
        descriptors.release(lifeline.write)
        do {
            return RunningCommand(
                launch, by: process, output: try await open(output.read, &descriptors, group),
                errors: try await open(errors?.read, &descriptors, group),
                report: try await open(report.read, &descriptors, group), lifeline: lifeline.write)
        } catch {
            // The command ends with the lifeline.
            descriptors.adopt(lifeline.write)
            descriptors.closeAll()
            process.enforceEnd(after: .zero)
            NIOThreadPool.singleton.submit { _ in process.reap() }
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

    /// Sends the stop signal, and kills the command after its grace period.
    ///
    /// Does not wait.
    func stop() {
        lifeline.withLock { lifeline in
            guard let lifeline else { return }
            _ = write(lifeline, [UInt8(ascii: "s")], 1)
        }
        helper.enforceEnd(after: stopGracePeriod)
    }

    /// Kills the command's whole process tree.
    ///
    /// Does not wait.
    func hangUp() {
        let isFirst = lifeline.withLock { lifeline in
            guard let descriptor = lifeline else { return false }
            var descriptors = Descriptors()
            descriptors.adopt(descriptor)
            descriptors.closeAll()
            lifeline = nil
            return true
        }
        if isFirst { helper.enforceEnd(after: .zero) }
    }

    /// Stops reading what processes print that outlive the command.
    func closeOutput() {
        output.close()
        errors?.close()
    }

    /// Suspends until the whole process tree has ended, and returns the result.
    ///
    /// Resumes the helper, which a command without open output can have stopped.
    func end() async -> CommandEnd {
        helper.resume()
        return await ending.value
    }

    private static func end(
        of helper: HelperProcess, report: CommandPipe, keepsOthers: Bool
    ) async -> CommandEnd {
        // The report is empty if the helper was killed.
        var text = ""
        while let buffer = await report.next() {
            if text.utf8.count < 4_096 { text += String(buffer: buffer) }
            // The helper continues for the programs that are kept.
            if keepsOthers, CommandEnd(report: text) != .lost { break }
        }
        let end = CommandEnd(report: text)
        helper.finish()
        guard end == .lost || !keepsOthers else {
            Task {
                while await report.next() != nil {}
                helper.reap()
            }
            return end
        }
        // Before, a process of the helper may not be adopted yet.
        helper.reap()
        if end == .lost { await HelperProcess.endAdopted() }
        return end
    }
}

enum CommandEnd: Sendable, Hashable {
    case exited(Int32, CommandUsage)
    case signalled(ProcessSignal, CommandUsage)
    case notStarted(CommandFailure)
    /// The helper was killed, so the result is unknown.
    case lost

    init(report: String) {
        var end = CommandEnd.lost
        var outlived = 0
        func usage(_ numbers: [Int64]) -> CommandUsage { CommandUsage(Array(numbers.dropFirst()), outlived: outlived) }
        for line in report.split(separator: "\n") {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().map { Int64($0) ?? 0 }
            let number = Int32(clamping: numbers.first ?? 0)
            switch words.first {
            case "failed":
                let error = Int32(clamping: numbers.dropFirst().first ?? 0)
                end = .notStarted(CommandFailure(step: words.count > 1 ? String(words[1]) : "", error: error))
            case "outlived": outlived = Int(clamping: numbers.first ?? 0)
            case "exited": end = .exited(number, usage(numbers))
            case "signalled": end = .signalled(ProcessSignal(number: number), usage(numbers))
            default: break
            }
        }
        self = end
    }
}

/// The resource usage of a command and of the child processes that it waited for.
struct CommandUsage: Sendable, Hashable {
    let user: Duration
    let system: Duration
    /// The peak memory in bytes.
    let memory: Int64
    /// The number of processes that the command left running and that were ended.
    let outlived: Int

    init(_ numbers: [Int64], outlived: Int = 0) {
        self.outlived = outlived
        user = .milliseconds(numbers.first ?? 0)
        system = .milliseconds(numbers.count > 1 ? numbers[1] : 0)
        // Linux reports KiB.
        memory = numbers.count > 2 ? numbers[2].multipliedReportingOverflow(by: 1_024).partialValue : 0
    }
}
