import Logging
import ServiceLifecycle
import UnixSignals
import WeirBoards
import WeirFlows
import WeirJournals
import WeirStates

/// Shuts down the board and closes the journal once the server accepts no more requests.
struct BoardService: ServiceLifecycle.Service {
    let board: Board
    let journal: any Journal
    let logger: Logger

    func run() async throws {
        try await gracefulShutdown()
        let active = board.view().operations.reduce(0) { $0 + $1.activeRuns }
        logger.notice("Requests are no longer accepted; active runs are ended.", metadata: ["runs": "\(active)"])
        await board.shutdown()
        await journal.close()
        logger.notice("The server has stopped.")
    }
}

/// Announces a shutdown by the readiness check before it begins.
///
/// The last of the services, because a service group shuts them down in reverse order, one at a time.
struct StopNoticeService: ServiceLifecycle.Service {
    let board: Board
    let notice: Duration
    let logger: Logger
    let announce: @Sendable () -> Void

    func run() async throws {
        try await gracefulShutdown()
        announce()
        // A replaced server shows nothing any more.
        let notice = board.currentRole.value == .replaced ? .zero : notice
        logger.notice(
            "The server is stopping.",
            metadata: notice > .zero ? ["requests are answered for": "\(notice)"] : [:])
        try await Task.sleep(for: notice)
    }
}

/// Ends the runs while pages are still served: lets them finish for a while, and interrupts the others.
///
/// A second signal ends the wait.
struct RunsService: ServiceLifecycle.Service {
    static let signals: [UnixSignal] = [.sigterm, .sigint]

    let board: Board
    let grace: Duration
    let logger: Logger

    func run() async throws {
        try await gracefulShutdown()
        if grace > .zero, board.currentRole.value != .replaced {
            logger.notice(
                "The server stops: it waits for its runs.", metadata: ["seconds": "\(grace.components.seconds)"])
            await withTaskGroup { group in
                group.addTask { [board, grace] in await board.finishRuns(within: grace) }
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: Self.signals) { return }
                }
                await group.next()
                group.cancelAll()
            }
        }
        await board.interruptRuns()
    }
}

/// Merges edits of runbooks once the server records, and ends the server when another one has replaced it.
struct RoleService: ServiceLifecycle.Service {
    let board: Board
    let runbooks: Runbooks
    let logger: Logger

    /// Throws `StartError` if the server must be restarted.
    func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await role in board.currentRole.values(.lossless) {
                switch role {
                case .recording: await takeInEdits()
                case .following: logger.notice("Another server records in the database; this one follows it.")
                case .replaced:
                    throw StartError.replaced(
                        "Another server records in the database now, or it has lost changes. Start this one again: it joins "
                            + "as it finds the database.")
                }
            }
        }
        try await gracefulShutdown()
    }

    private func takeInEdits() async {
        do {
            try await runbooks.takeInEdits(on: board)
        } catch {
            logger.warning(
                "Edits of the runbook files are not shown, because they cannot be recorded.",
                metadata: ["cause": "\(Quoted(error))"])
        }
    }
}

/// Handles the signals that do not end a server: SIGHUP reloads the settings, SIGUSR1 logs the status.
struct SignalService: ServiceLifecycle.Service {
    static let signals: [UnixSignal] = [.sighup, .sigusr1]

    let received: UnixSignalsSequence
    let reload: @Sendable () -> Void
    let report: @Sendable () -> Void

    func run() async throws {
        for await signal in received.cancelOnGracefulShutdown() {
            if signal == .sighup { reload() } else { report() }
        }
    }
}

/// Keeps feeds active that poll without viewers, by watching them.
final class PolledFeeds: Sendable {
    private let watches = Locked<[String: WeirBoards.Watch]>([:])

    func keep(_ ids: [String], on board: Board) {
        // Watches are renewed, because a previous one may refer to a removed operation of the same id.
        let next = Dictionary(ids.map { ($0, board.watch(.operation($0))) }) { $1 }
        let old = watches.withLock { watches in
            defer { watches = next }
            return watches
        }
        for watch in old.values { watch.release() }
    }
}
