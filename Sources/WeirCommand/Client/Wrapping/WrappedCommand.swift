import Foundation
import Synchronization
package import WeirFiles
package import WeirStates

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A command that runs in this process's place: it has the same standard input, terminal, folder and environment, and what
/// it prints passes through here on its way.
///
/// Each channel is read by a thread of its own, as fast as what it prints to takes it and no faster.
package final class WrappedCommand: Sendable {
    /// Gets what was read, before the next piece is; false when it wants no more, and the channel is closed.
    package typealias Sink = @Sendable (OutputChannel, UnsafeRawBufferPointer) -> Bool

    private let process: pid_t
    /// Nobody may signal a process that is gone: its number may belong to another one.
    private let isGone = Mutex(false)
    private let hasEnded = Mutex<WrappedEnd?>(nil)

    private init(process: pid_t) { self.process = process }

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - words: Without mistakes (`CommandLaunch.mistake`): the program, looked for in `PATH`, and its arguments.
    ///   - defaulted: The signals that are caught or ignored here, and do to the command what they do to any.
    ///   - sink: Gets what the command prints; an empty piece is the end of a channel.
    /// - Returns: The command, and the task that ends with it.
    /// - Throws: `CommandFailure` when the program cannot be run.
    package static func start(
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

    /// Passes a signal on, unless the command is gone.
    package func signal(_ number: Int32) {
        isGone.withLock { if !$0 { kill(process, number) } }
    }

    // MARK: Threads

    private func wait() {
        // It stays a zombie, whose number nobody else gets, until it is taken while no signal is on its way.
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

    /// Reads a channel to its end, or until the command is gone and what it left behind is quiet.
    private func pump(_ descriptor: Int32, _ channel: OutputChannel, _ sink: Sink) {
        // Unsafe memory: what was read lies in the buffer, whose size bounds the read.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer {
            buffer.deallocate()
            close(descriptor)
        }
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
            // Asked first: what the command prints before it ends is there to be read once it has ended.
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
