import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// Carries out what other servers hand to this one, which records: each command once, several at a time.
final class CommandReceiver: Sendable {
    /// How many commands are carried out at a time.
    static let limit = 64
    /// How often an answer is tried to be written, a second apart.
    private static let attempts = 10

    private struct Core {
        var underway = 0
        /// The servers whose other commands wait until there is room.
        var crowded: [String]?
        var isClosed = false
        var idle: Deferred<Bool>?
    }

    private let journal: any SharedJournal
    private let clock: any Clock<Duration>
    private let perform: @Sendable (BoardCommand, String) async -> BoardCommand.Outcome
    private let core = Locked(Core())
    private let scope = FlowScope(executor: nil)

    /// `perform` carries out a command, of the server with that id.
    init(
        _ journal: any SharedJournal, clock: any Clock<Duration>,
        perform: @escaping @Sendable (BoardCommand, String) async -> BoardCommand.Outcome
    ) {
        self.journal = journal
        self.clock = clock
        self.perform = perform
    }

    /// Claims the commands of these servers that wait, and begins to carry them out; those for which there is no room,
    /// as soon as there is.
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

    /// Claims nothing more, and waits until everything that was claimed is answered.
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

    /// Ends everything.
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
                // Whoever asked is told that nobody knows, if the journal does not answer in time.
                guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
            }
        }
    }

    /// Gives back room, and looks for those who waited for it.
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
    /// The error for a command that only another version of the server knows.
    fileprivate static var unknownCommand: BoardError {
        BoardError(.unavailable, .unknownCommand)
    }
}
