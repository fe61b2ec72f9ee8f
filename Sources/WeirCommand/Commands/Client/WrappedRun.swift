import Foundation
import Synchronization
import UnixSignals
import WeirFiles
import WeirJournals
import WeirStates

/// Runs a command locally and reports it to a server until both the command and the report end.
///
/// The server never blocks the command, whose output is sent from the spool.
struct WrappedRun {
    private static let signals: [UnixSignal] = [.sighup, .sigint, .sigquit, .sigterm, .sigusr1, .sigusr2]
    private static let stops: Set<UnixSignal> = [.sighup, .sigint, .sigquit, .sigterm]

    let words: [String]
    let header: SpoolHeader
    let connection: ServerConnection
    let folder: SpoolFolder
    let lease: Duration
    let wait: Duration

    /// Runs the command and returns how it ended, or the signal that ended the wait for the server.
    func run() async throws -> WrappedEnd {
        try await ServerClient.with(connection) { client in
            let spool = try Spool.make(in: folder.url, header: header)
            let trapped = await UnixSignalsSequence(trapping: Self.signals)
            let (signals, news) = AsyncStream.makeStream(of: ReportSignal.self, bufferingPolicy: .bufferingNewest(2))
            let recorder = OutputRecorder(spool, notify: { news.yield(.news) })
            recorder.add([["state": "running"]])
            let (command, ending): (WrappedCommand, Task<WrappedEnd, Never>)
            do throws(CommandFailure) {
                (command, ending) = try WrappedCommand.start(
                    words, defaulted: Self.signals.map(\.rawValue) + [SIGPIPE], sink: recorder.take)
            } catch {
                spool.remove()
                return .exited(Self.explain(error, words.first ?? ""))
            }
            let reporting = Task {
                await Reporter(client, spool: spool, lease: lease) { complain("weir: \($0)") }.run(signals)
            }
            let phase = WrappedPhase()
            let tasks = [
                Task {
                    while !Task.isCancelled {
                        try await Task.sleep(for: Reporter.beat(for: lease))
                        news.yield(.beat)
                    }
                },
                Task {
                    for await signal in trapped {
                        if Self.stops.contains(signal) {
                            // If the command has ended, the signal ends the wait for the server.
                            if phase.stop(by: signal.rawValue) { reporting.cancel() }
                        }
                        if !Self.comesFromTerminal(signal) { command.signal(signal.rawValue) }
                    }
                },
                Task {
                    switch await reporting.value {
                    case .cancelled:
                        complain("weir: The run was cancelled at the server, so the command is stopped.")
                        phase.stop(by: SIGTERM)
                        command.signal(SIGTERM)
                    case .refused(let error) where !phase.isWaiting:
                        complain("weir: \(error.description) The command continues, and its report is kept.")
                    case .refused, .delivered, .left, .unfinished: break
                    }
                },
            ]
            let end = await ending.value
            recorder.add([end.message(program: header.program, wasStopped: phase.wasStopped)])
            phase.wait()
            let timeout = Task {
                try await Task.sleep(for: wait)
                reporting.cancel()
            }
            let report = await reporting.value
            timeout.cancel()
            for task in tasks { task.cancel() }
            var result = end
            switch report {
            case .delivered, .cancelled: spool.remove()
            case .left, .unfinished:
                if let signal = phase.interruption { result = .signalled(ProcessSignal(number: signal)) }
                complain("weir: Not all of the report has arrived. `weir send` sends the rest from \(spool.url.path).")
            case .refused(let error):
                complain("weir: \(error.description) The report is in \(spool.url.path); `weir send` sends it again.")
            }
            return result
        }
    }

    /// Whether the command has received the signal too: a terminal sends typed signals to its whole foreground process group.
    private static func comesFromTerminal(_ signal: UnixSignal) -> Bool {
        guard signal == .sigint || signal == .sigquit else { return false }
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }

    /// Explains why the command could not be started; the exit codes are those of shells.
    private static func explain(_ failure: CommandFailure, _ program: String) -> Int32 {
        let program = VisibleText.line(program)
        switch failure.error {
        case ENOENT:
            complain("weir: The program “\(program)” is not there. Install it, or correct its name or PATH.")
            return 127
        case EACCES:
            complain("weir: The program “\(program)” may not be run: make it executable.")
            return 126
        default:
            complain("weir: The program “\(program)” could not be run: \(String(cString: strerror(failure.error))).")
            return 126
        }
    }
}

/// Whether the command has ended, so that only the report is pending, and whether it was asked to stop.
private final class WrappedPhase: Sendable {
    private let core = Mutex((isWaiting: false, wasStopped: false, interruption: Int32?.none))

    var isWaiting: Bool { core.withLock { $0.isWaiting } }
    var wasStopped: Bool { core.withLock { $0.wasStopped } }
    /// The first signal that came after the command had ended.
    var interruption: Int32? { core.withLock { $0.interruption } }

    func wait() { core.withLock { $0.isWaiting = true } }

    /// Notes a request to stop; returns whether the command had ended before.
    @discardableResult func stop(by signal: Int32) -> Bool {
        core.withLock { core in
            core.wasStopped = true
            if core.isWaiting, core.interruption == nil { core.interruption = signal }
            return core.isWaiting
        }
    }
}

extension SpoolHeader {
    fileprivate var program: String { input["program"]?.string ?? "The command" }
}

/// Passes a command's output through, and appends it to the spool with the time.
final class OutputRecorder: Sendable {
    private struct Core {
        var messages: [OutputChannel: OutputMessages] = [
            .standardOutput: OutputMessages(.standardOutput), .standardError: OutputMessages(.standardError),
        ]
        var missing = 0
    }

    private let spool: Spool
    private let now: @Sendable () -> Timestamp
    private let notify: @Sendable () -> Void
    private let core = Mutex(Core())

    /// Creates a recorder, which calls `notify` after each append to the spool.
    init(
        _ spool: Spool, now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) },
        notify: @escaping @Sendable () -> Void
    ) {
        self.spool = spool
        self.now = now
        self.notify = notify
    }

    /// Handles bytes of a channel, or its end if empty; returns false if the reader of the output has closed it.
    func take(_ channel: OutputChannel, _ bytes: UnsafeRawBufferPointer) -> Bool {
        // Unsafe memory: the bytes are read only during the call, and within their count.
        let isPassed = pass(bytes, to: channel == .standardError ? 2 : 1)
        core.withLock { core in
            let messages =
                bytes.isEmpty ? core.messages[channel]?.finish() : core.messages[channel]?.take(bytes)
            keep(messages ?? [], &core)
        }
        return isPassed
    }

    /// Appends messages that the command did not print.
    func add(_ messages: [JSONValue]) { core.withLock { keep(messages, &$0) } }

    private func keep(_ messages: [JSONValue], _ core: inout Core) {
        guard !messages.isEmpty else { return }
        var list = messages
        if core.missing > 0 {
            let words = "weir: \(core.missing) lines are missing here, since \(spool.url.path) could not be written."
            list.insert(["line": .string(words), "channel": "stderr"], at: 0)
        }
        let moment = JSONValue.string(now().description)
        do {
            try spool.append(
                list.map { .object(($0.object ?? [:]).merging(["happenedAt": moment]) { first, _ in first }) })
            core.missing = 0
            notify()
        } catch {
            if core.missing == 0 {
                complain(
                    "weir: The report cannot be kept in \(spool.url.path). Is the disk full? The command continues.")
            }
            core.missing = min(core.missing, .max - messages.count) + messages.count
        }
    }

    private func pass(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLOUT), revents: 0)
                poll(&waiting, 1, 1_000)
                continue
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}
