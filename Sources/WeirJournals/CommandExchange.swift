/// The exchange through which following servers send commands to the recording server and receive answers.
///
/// Each command is claimed at most once, by the server that records at that time. A command that was withdrawn first
/// is never claimed, even if it arrives later. All methods are safe to call concurrently and throw only
/// `JournalError`; after an error, the operation may have taken effect.
package protocol CommandExchange: Sendable {
    /// Sends a command; idempotent, and without effect after a withdrawal.
    func hand(_ command: HandedCommand) async throws
    /// The replies to commands; pending ones are omitted.
    func replies(to ids: [String]) async throws -> [String: CommandReply]
    /// Withdraws a command unless it was claimed; durable on return.
    ///
    /// The id stays reserved until the command is removed, so that a delayed delivery is not executed either.
    func withdraw(_ id: String) async throws -> CommandWithdrawal
    /// Removes commands that were answered or abandoned.
    func removeCommands(_ ids: [String]) async throws

    /// Claims the oldest pending commands; for the recording server.
    ///
    /// - Parameters:
    ///   - nodes: The senders to consider: servers that are present and can withdraw their commands.
    ///   - limit: The maximum number of commands.
    /// - Returns: The commands, oldest first, which this server must execute.
    /// - Throws: `JournalError`: `locked` if another server records.
    func claimCommands(of nodes: [String], limit: Int) async throws -> [HandedCommand]
    /// Answers a command that this server claimed; without effect once another server records.
    func answerCommand(_ id: String, with text: String) async throws
}

package struct HandedCommand: Sendable, Hashable {
    package let id: String
    /// The id of the server that sent the command.
    package let node: String
    /// The request, as JSON.
    package let text: String

    package init(id: String, node: String, text: String) {
        self.id = id
        self.node = node
        self.text = text
    }
}

package enum CommandReply: Sendable, Hashable {
    /// The command was executed or refused, with this answer as JSON.
    case answered(String)
    /// The server that claimed the command no longer records, so its effect is unknown.
    case lost
}

package enum CommandWithdrawal: Sendable, Hashable {
    /// The command will never be claimed.
    case withdrawn
    /// The command was answered in the meantime.
    case answered(String)
    /// The command was claimed and has no answer yet.
    case claimed
}

/// An in-process exchange of commands between servers.
package actor MemoryCommands {
    private struct Entry {
        /// Nil for a command that was withdrawn before it arrived.
        let command: HandedCommand?
        /// The fence under which the command was claimed.
        var fence: Int?
        var isWithdrawn = false
        var answer: String?
    }

    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    /// The recording server, and its fence, which counts the takeovers.
    private var recording: (server: String, fence: Int)?

    init() {}

    package var count: Int { entries.count }

    /// Makes another server the one that records.
    func takeOver(_ server: String) { recording = (server, (recording?.fence ?? 0) + 1) }

    /// The exchange as one server sees it.
    nonisolated func server(_ id: String) -> any CommandExchange { Server(commands: self, id: id) }

    private struct Server: CommandExchange {
        let commands: MemoryCommands
        let id: String

        func hand(_ command: HandedCommand) async { await commands.hand(command) }
        func replies(to ids: [String]) async -> [String: CommandReply] { await commands.replies(to: ids) }
        func withdraw(_ id: String) async -> CommandWithdrawal { await commands.withdraw(id) }
        func removeCommands(_ ids: [String]) async { await commands.remove(ids) }

        func claimCommands(of nodes: [String], limit: Int) async throws -> [HandedCommand] {
            try await commands.claim(of: nodes, limit: limit, by: id)
        }

        func answerCommand(_ command: String, with text: String) async {
            await commands.answer(command, with: text, by: id)
        }
    }

    private func hand(_ command: HandedCommand) {
        guard entries[command.id] == nil else { return }
        entries[command.id] = Entry(command: command)
        order.append(command.id)
    }

    private func replies(to ids: [String]) -> [String: CommandReply] {
        var replies: [String: CommandReply] = [:]
        for id in ids {
            guard let entry = entries[id], let claimed = entry.fence else { continue }
            replies[id] = entry.answer.map(CommandReply.answered) ?? (claimed == recording?.fence ? nil : .lost)
        }
        return replies
    }

    private func withdraw(_ id: String) -> CommandWithdrawal {
        var entry = entries[id] ?? Entry(command: nil)
        if let answer = entry.answer { return .answered(answer) }
        if entry.fence != nil { return .claimed }
        entry.isWithdrawn = true
        entries[id] = entry
        return .withdrawn
    }

    private func remove(_ ids: [String]) {
        for id in ids { entries[id] = nil }
        order.removeAll { entries[$0] == nil }
    }

    private func claim(of nodes: [String], limit: Int, by server: String) throws -> [HandedCommand] {
        guard let recording, recording.server == server else {
            throw JournalError(.locked, "Another server records, and this one only follows it.")
        }
        let waiting = order.compactMap { entries[$0] }.filter { $0.fence == nil && !$0.isWithdrawn }
        let claimed = waiting.compactMap(\.command).filter { nodes.contains($0.node) }.prefix(max(0, limit))
        for command in claimed { entries[command.id]?.fence = recording.fence }
        return Array(claimed)
    }

    private func answer(_ id: String, with text: String, by server: String) {
        guard let recording, recording.server == server, entries[id]?.fence == recording.fence else { return }
        entries[id]?.answer = text
    }
}
