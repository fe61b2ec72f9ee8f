import Foundation
import WeirFlows
import WeirJournals
import WeirStates

/// Sends commands from this server to the recording one, and waits for the replies.
///
/// Each call returns within a bounded time: by then the command was carried out or refused, or was withdrawn so that no
/// server will carry it out, or the server that accepted it has not replied.
final class CommandSender: Sendable {
    /// How long a command waits for a reply before it is withdrawn: longer than the takeover from a server that is
    /// gone.
    static let patience: Duration = .seconds(10)
    static let withdrawal: Duration = .seconds(2)
    /// How long the id of a withdrawn command stays reserved: longer than any write still in flight.
    static let memory: Duration = .seconds(60)
    /// The maximum number of waiting commands.
    static let limit = 256
    /// The maximum total size of waiting commands in bytes.
    static let byteLimit = 16 * 1_024 * 1_024

    private enum End: Sendable {
        case reply(CommandReply)
        /// The database refused to store the command, so no server will carry it out.
        case refused(JournalError)
        /// The command may not have been stored, or the server is stopping.
        case failed
    }

    private struct Core {
        var waiting: [String: (end: Deferred<End>, size: Int)] = [:]
        var bytes = 0
        var isClosed = false
        let idle = Deferred<Bool>()
    }

    private let journal: any SharedJournal
    private let clock: any Clock<Duration>
    private let core = Locked(Core())
    private let scope = FlowScope(executor: nil)
    private let onRefusal: @Sendable (JournalError) -> Void

    /// Creates a sender; `onRefusal` is called with the error if the database refuses to store a command.
    init(
        _ journal: any SharedJournal, clock: any Clock<Duration>,
        onRefusal: @escaping @Sendable (JournalError) -> Void
    ) {
        self.journal = journal
        self.clock = clock
        self.onRefusal = onRefusal
    }

    /// Sends a command and returns the reply; `recording` is the display name of the recording server.
    ///
    /// Throws `overloaded`, `shuttingDown`, `unavailable` and `outcomeUnknown`.
    func send(_ command: BoardCommand, to recording: String?) async throws(BoardError) -> BoardCommand.Outcome {
        guard let text = try? JSONValue(encoding: command).text() else { throw .notTaken(by: recording) }
        let id = "\(journal.node) \(UUID().uuidString)"
        let end = try enter(id, size: text.utf8.count, recording)
        defer { leave(id) }
        scope.launch { [self] in
            do {
                try await journal.hand(HandedCommand(id: id, node: journal.node, text: text))
            } catch let error as JournalError where [.full, .readOnly].contains(error.code) {
                onRefusal(error)
                end.resolve(.refused(error))
            } catch {
                end.resolve(.failed)
            }
        }
        switch await end.value(within: Self.patience, clock: clock) {
        case .reply(.answered(let text)):
            remove(id)
            return try outcome(text, recording)
        case .reply(.lost):
            remove(id)
            throw .outcomeUnknown(of: recording)
        case .refused(let error):
            throw .unreadable(error)
        case .failed, nil:
            return try await withdraw(id, recording)
        }
    }

    func look() async throws {
        let ids = core.withLock { Array($0.waiting.keys) }
        guard !ids.isEmpty else { return }
        for (id, reply) in try await journal.replies(to: ids) {
            core.withLock { $0.waiting[id]?.end }?.resolve(.reply(reply))
        }
    }

    /// Stops sending, and withdraws waiting commands; returns once every caller has its result.
    func close() async {
        let (ends, idle) = core.withLock { core in
            core.isClosed = true
            return (core.waiting.values.map(\.end), core.idle)
        }
        for end in ends { end.resolve(.failed) }
        if !ends.isEmpty { _ = await idle.value() }
    }

    func stop() { scope.cancel() }

    // MARK: Implementation

    private func enter(_ id: String, size: Int, _ recording: String?) throws(BoardError) -> Deferred<End> {
        let end = Deferred<End>()
        let (isClosed, isTaken) = core.withLock { core in
            guard !core.isClosed, core.waiting.count < Self.limit, size <= Self.byteLimit - core.bytes else {
                return (core.isClosed, false)
            }
            core.waiting[id] = (end, size)
            core.bytes += size
            return (false, true)
        }
        if isClosed { throw .shuttingDown }
        guard isTaken else { throw .tooManyWait(for: recording) }
        return end
    }

    private func leave(_ id: String) {
        core.withLock { core -> Deferred<Bool>? in
            core.bytes -= core.waiting.removeValue(forKey: id)?.size ?? 0
            return core.isClosed && core.waiting.isEmpty ? core.idle : nil
        }?.resolve(true)
    }

    /// Withdraws a command; retries until the database confirms it, even after the caller has stopped waiting.
    private func withdraw(_ id: String, _ recording: String?) async throws(BoardError) -> BoardCommand.Outcome {
        let found = Deferred<CommandWithdrawal>()
        scope.launch { [self] in
            while found.resolved == nil {
                do {
                    found.resolve(try await journal.withdraw(id))
                } catch {
                    try await clock.sleep(for: .seconds(1))
                }
            }
            try await clock.sleep(for: Self.memory)
            try await journal.removeCommands([id])
        }
        switch await found.value(within: Self.withdrawal, clock: clock) {
        case .withdrawn: throw .notTaken(by: recording)
        case .answered(let text): return try outcome(text, recording)
        case .claimed, nil: throw .outcomeUnknown(of: recording)
        }
    }

    private func outcome(_ text: String, _ recording: String?) throws(BoardError) -> BoardCommand.Outcome {
        do {
            return try JSONValue(parsing: text).decode(BoardCommand.Outcome.self)
        } catch {
            throw .outcomeUnknown(of: recording)
        }
    }

    private func remove(_ id: String) {
        // If this fails, the command is removed when this server starts the next time.
        scope.launch { [journal] in try await journal.removeCommands([id]) }
    }
}
