import WeirFlows
import WeirJournals
import WeirStates

/// Carries out commands from other servers on the recording one: each command once, several concurrently.
final class CommandReceiver: Sendable {
    /// The maximum number of concurrent commands.
    static let limit = 64
    /// The number of attempts to write a reply, one second apart.
    private static let attempts = 10

    private struct Core {
        var underway = 0
        /// The servers whose remaining commands wait for capacity.
        var crowded: [String]?
        var isClosed = false
        var idle: Deferred<Bool>?
    }

    private let journal: any SharedJournal
    private let clock: any Clock<Duration>
    private let perform: @Sendable (BoardCommand, String) async -> BoardCommand.Outcome
    private let core = Locked(Core())
    private let scope = FlowScope(executor: nil)

    /// `perform` carries out a command from the server with the given id.
    init(
        _ journal: any SharedJournal, clock: any Clock<Duration>,
        perform: @escaping @Sendable (BoardCommand, String) async -> BoardCommand.Outcome
    ) {
        self.journal = journal
        self.clock = clock
        self.perform = perform
    }

    /// Claims the waiting commands of these servers and starts to carry them out; the rest follow as capacity frees up.
    ///
    /// Throws `JournalError`.
    func look(of nodes: [String]) async throws {
        let room = core.withLock { core -> Int in
            guard !core.isClosed else { return 0 }
            let room = max(0, Self.limit - core.underway)
            core.underway += room
            if room == 0 { core.crowded = nodes }
            return room
        }
        guard room > 0 else { return }
        var claimed: [HandedCommand] = []
        defer { finish(room - claimed.count) }
        claimed = try await journal.claimCommands(of: nodes, limit: room)
        if claimed.count == room { core.withLock { $0.crowded = nodes } }
        for command in claimed {
            scope.launch { [self] in
                defer { finish(1) }
                await answer(command)
            }
        }
    }

    /// Stops claiming commands, and waits until every claimed command has been answered.
    func close() async {
        let idle = core.withLock { core -> Deferred<Bool>? in
            core.isClosed = true
            guard core.underway > 0 else { return nil }
            let idle = core.idle ?? Deferred()
            core.idle = idle
            return idle
        }
        _ = await idle?.value()
    }

    func stop() { scope.cancel() }

    private func answer(_ command: HandedCommand) async {
        let outcome: BoardCommand.Outcome
        do {
            outcome = await perform(try JSONValue(parsing: command.text).decode(BoardCommand.self), command.node)
        } catch {
            outcome = .init(.unknownCommand)
        }
        for _ in 0..<Self.attempts {
            do {
                return try await journal.answerCommand(command.id, with: JSONValue(encoding: outcome).text())
            } catch {
                // If the journal does not respond in time, the sender reports an unknown outcome.
                guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
            }
        }
    }

    /// Releases capacity, and claims commands that were waiting for it.
    private func finish(_ count: Int) {
        guard count > 0 else { return }
        let (idle, crowded) = core.withLock { core -> (Deferred<Bool>?, [String]?) in
            core.underway -= count
            guard !core.isClosed else { return (core.underway == 0 ? core.idle : nil, nil) }
            defer { core.crowded = nil }
            return (nil, core.crowded)
        }
        idle?.resolve(true)
        guard let crowded else { return }
        scope.launch { [self] in try? await look(of: crowded) }
    }
}

extension BoardError {
    /// The error for a command of another server version.
    fileprivate static var unknownCommand: BoardError {
        BoardError(.unavailable, .unknownCommand)
    }
}
