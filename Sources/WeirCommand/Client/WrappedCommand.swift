import ArgumentParser
import Foundation
import Synchronization
import WeirFiles
import WeirStates

/// A child process that shares this process's standard input, terminal, folder and environment, with its output passed through.
///
/// One thread per channel reads the output, no faster than its destination accepts it.
final class WrappedCommand: Sendable {
    /// Receives a piece of output before the next one is read; returning false closes the channel.
    typealias Sink = @Sendable (OutputChannel, UnsafeRawBufferPointer) -> Bool

    private let process: pid_t
    /// Guards against signalling a process id that has been reused.
    private let isGone = Mutex(false)
    private let hasEnded = Mutex<WrappedEnd?>(nil)

    private init(process: pid_t) { self.process = process }

    /// Starts a command, and a task that ends with it.
    ///
    /// - Parameters:
    ///   - words: The program, which is searched in `PATH`, and its arguments, without a `CommandLaunch.mistake`.
    ///   - defaulted: The signals to reset to their default action in the command.
    ///   - sink: Receives the output. An empty piece is the end of a channel.
    /// - Returns: The command and the task.
    /// - Throws: `CommandFailure` if the program cannot be run.
    static func start(
        _ words: [String], defaulted: [Int32], sink: @escaping Sink
    ) throws(CommandFailure) -> (WrappedCommand, ending: Task<WrappedEnd, Never>) {
        var descriptors = Descriptors()
        defer { descriptors.closeAll() }
        let output = try descriptors.pipe()
        let errors = try descriptors.pipe()
        let process = try ChildProcess.start(
            words.first ?? "", arguments: words,
            environment: ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" },
            descriptors: [1: output.write, 2: errors.write], as: .wrapped(defaulted: defaulted))
        let command = WrappedCommand(process: process)
        let (outputEnd, errorEnd) = (output.read, errors.read)
        descriptors.release(outputEnd)
        descriptors.release(errorEnd)
        let ends = AsyncStream<Void> { continuation in
            let left = Mutex(3)
            let finish: @Sendable () -> Void = {
                if left.withLock({ left in
                    left -= 1; return left == 0
                }) {
                    continuation.finish()
                }
            }
            Thread.detachNewThread {
                command.wait()
                finish()
            }
            for (channel, descriptor) in [(OutputChannel.standardOutput, outputEnd), (.standardError, errorEnd)] {
                Thread.detachNewThread {
                    command.pump(descriptor, channel, sink)
                    finish()
                }
            }
        }
        let ending = Task {
            for await _ in ends {}
            return command.hasEnded.withLock { $0 } ?? .exited(0)
        }
        return (command, ending)
    }

    /// Sends a signal, unless the command has ended.
    func signal(_ number: Int32) {
        isGone.withLock { if !$0 { kill(process, number) } }
    }

    // MARK: Threads

    private func wait() {
        // The process stays a zombie, which reserves its id, until it is reaped under the lock that `signal(_:)` takes.
        var info = siginfo_t()
        while waitid(P_PID, id_t(truncatingIfNeeded: process), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        var status: Int32 = 0
        isGone.withLock { isGone in
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            isGone = true
        }
        let signal = status & 0x7f
        hasEnded.withLock { $0 = signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(ProcessSignal(number: signal)) }
    }

    /// Reads a channel to its end, or until the command has ended and its descendants print nothing.
    private func pump(_ descriptor: Int32, _ channel: OutputChannel, _ sink: Sink) {
        // Unsafe memory: the read fills the buffer, and the buffer's size bounds it.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer {
            buffer.deallocate()
            close(descriptor)
        }
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
            // Read before polling, because output that precedes the end is available once the command has ended.
            let hasEnded = hasEnded.withLock { $0 != nil }
            let ready = poll(&waiting, 1, 500)
            if ready == 0, hasEnded { break }
            if ready <= 0 { continue }
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            if !sink(channel, UnsafeRawBufferPointer(rebasing: buffer[..<count])) { break }
        }
        _ = sink(channel, UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

enum WrappedEnd: Sendable, Hashable {
    case exited(Int32)
    case signalled(ProcessSignal)

    /// The exit code of `weir run`: the command's own, or what shells show for a signal, 128 plus its number.
    var exitCode: Int32 {
        switch self {
        case .exited(let code): code
        case .signalled(let signal): 128 + min(max(signal.number, 0), 127)
        }
    }

    /// Ends this process as the command ended.
    ///
    /// A shell that runs this in a loop stops for Ctrl-C only if the program died of the signal.
    /// - Throws: `ExitCode`, unless the command exited with 0.
    func passOn() throws {
        if case .signalled(let signal) = self { signal.endThisProcess() }
        if exitCode != 0 { throw ExitCode(exitCode) }
    }

    /// The end as the last message of the run, which is cancelled if the local user requested the end.
    func message(program: String, wasStopped: Bool) -> JSONValue {
        let phase: Phase = self == .exited(0) ? .succeeded : wasStopped ? .cancelled : .failed
        var members: [String: JSONValue] = [
            "state": .string(phase.rawValue), "phase": .string(phase.rawValue), "code": .integer(Int64(exitCode)),
        ]
        switch self {
        case .exited(0): break
        case .exited(let code): members["message"] = .string("\(program) ended with exit code \(code).")
        case .signalled(let signal):
            let meaning = signal.meaning.map { ": \($0)" } ?? ""
            members["message"] = .string("\(program) was ended by \(signal)\(meaning).")
        }
        return .object(members)
    }
}

extension ProcessSignal {
    /// Ends this process by the signal; returns only if the system prevents that, as for the first process of a container.
    fileprivate func endThisProcess() {
        // The command has left the core file, if there is one.
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_CORE, &limit)
        #endif
        signal(number, SIG_DFL)
        // Threads of a work queue block signals.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(number)
    }
}
