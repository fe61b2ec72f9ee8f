import Foundation
import Synchronization
import UnixSignals
import WeirFiles
import WeirStates

/// A command that runs here and is reported at a server, from its start until both are over.
///
/// Nothing at the server holds the command up: what it prints goes to the spool, and from there to the server.
struct WrappedRun {
    private static let signals: [UnixSignal] = [.sighup, .sigint, .sigquit, .sigterm, .sigusr1, .sigusr2]
    /// Those that ask for the end.
    private static let stops: Set<UnixSignal> = [.sighup, .sigint, .sigquit, .sigterm]

    let words: [String]
    let header: SpoolHeader
    let connection: ServerConnection
    let folder: SpoolFolder
    let lease: Duration
    let wait: Duration

    /// Runs it, and returns what to exit with.
    func run() async throws -> Int32 {
        try await ServerClient.with(connection) { client in
            let spool = try Spool.make(in: folder.url, header: header)
            let trapped = await UnixSignalsSequence(trapping: Self.signals)
            let (signals, news) = AsyncStream.makeStream(of: ReportSignal.self, bufferingPolicy: .bufferingNewest(2))
            let recorder = OutputRecorder(spool) { news.yield(.news) }
            recorder.add([["state": "running"]])
            let (command, ending): (WrappedCommand, Task<WrappedEnd, Never>)
            do throws(CommandFailure) {
                (command, ending) = try WrappedCommand.start(
                    words, defaulted: Self.signals.map(\.rawValue) + [SIGPIPE], sink: recorder.take)
            } catch {
                spool.remove()
                return Self.explain(error, words.first ?? "")
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
                            phase.stop()
                            // The command is over: it is the wait for the server that is to end.
                            if phase.isWaiting { reporting.cancel() }
                        }
                        if !Self.comesFromTerminal(signal) { command.signal(signal.rawValue) }
                    }
                },
                Task {
                    switch await reporting.value {
                    case .cancelled:
                        complain("weir: Somebody cancelled the run at the server, so the command is asked to stop.")
                        phase.stop()
                        command.signal(SIGTERM)
                    case .refused(let error) where !phase.isWaiting:
                        complain("weir: \(error.description) The command goes on, and its report is kept.")
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
            let result = await reporting.value
            timeout.cancel()
            for task in tasks { task.cancel() }
            switch result {
            case .delivered, .cancelled: spool.remove()
            case .left, .unfinished:
                complain("weir: Not all of the report has arrived. `weir send` sends the rest from \(spool.url.path).")
            case .refused(let error):
                complain("weir: \(error.description) The report is in \(spool.url.path); `weir send` sends it again.")
            }
            return end.exitCode
        }
    }

    /// Whether a signal went to the command too: a terminal sends what is typed there to all that run in its foreground.
    private static func comesFromTerminal(_ signal: UnixSignal) -> Bool {
        guard signal == .sigint || signal == .sigquit else { return false }
        let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }

    /// Says why the command could not be run; the exit codes are those of shells.
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

/// Whether the command is over and its report is waited for.
private final class WrappedPhase: Sendable {
    private let core = Mutex((isWaiting: false, wasStopped: false))

    var isWaiting: Bool { core.withLock { $0.isWaiting } }
    var wasStopped: Bool { core.withLock { $0.wasStopped } }

    func wait() { core.withLock { $0.isWaiting = true } }
    func stop() { core.withLock { $0.wasStopped = true } }
}

extension SpoolHeader {
    /// The name of what runs.
    fileprivate var program: String { input["program"]?.string ?? "The command" }
}
