import Foundation
import WeirFlows
import WeirJournals
import WeirStates

/// Hands commands of this server to the one that records, and waits for the answers.
///
/// Whoever asks is answered within a bounded time: by then the command was carried out or refused, or it was withdrawn and
/// nobody will carry it out, or the server that took it has not answered.
final class CommandSender: Sendable {
    /// How long a command waits for its answer before it is withdrawn: longer than it takes to replace a server that is gone.
    static let patience: Duration = .seconds(10)
    /// How long the database may take to withdraw it.
    static let withdrawal: Duration = .seconds(2)
    /// For how long the id of a command stays taken that was withdrawn: what is still on its way arrives before.
    static let memory: Duration = .seconds(60)
    /// How many commands may wait at a time.
    static let limit = 256
    /// How many bytes they may have together.
    static let byteLimit = 16 * 1_024 * 1_024

    /// What ends the wait for an answer.
    private enum End: Sendable {
        case reply(CommandReply)
        /// The command may not have been handed over, or the server stops.
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

    init(_ journal: any SharedJournal, clock: any Clock<Duration>) {
        self.journal = journal
        self.clock = clock
    }

    /// Whether a command waits for its answer.
    var waits: Bool { core.withLock { !$0.waiting.isEmpty } }

    /// Hands a command over, and returns the answer; `recording` is what a person calls the server that records.
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
        case .failed, nil:
            return try await withdraw(id, recording)
        }
    }

    /// Takes the answers that have come.
    func look() async throws {
        let ids = core.withLock { Array($0.waiting.keys) }
        guard !ids.isEmpty else { return }
        for (id, reply) in try await journal.replies(to: ids) {
            core.withLock { $0.waiting[id]?.end }?.resolve(.reply(reply))
        }
    }

    /// Hands nothing over any more, and withdraws what waits; returns when all who asked are answered.
    func close() async {
        let (ends, idle) = core.withLock { core in
            core.isClosed = true
            return (core.waiting.values.map(\.end), core.idle)
        }
        for end in ends { end.resolve(.failed) }
        if !ends.isEmpty { _ = await idle.value() }
    }

    /// Ends everything.
    func stop() { scope.cancel() }

    // MARK: Inside

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

    /// Withdraws a command; tries until the database has it, however long whoever asked waits.
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
        // What fails here goes when this server starts the next time.
        scope.launch { [journal] in try await journal.removeCommands([id]) }
    }
}
