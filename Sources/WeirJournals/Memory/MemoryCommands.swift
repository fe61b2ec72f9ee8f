/// The commands that servers in one process hand each other.
package actor MemoryCommands {
    private struct Entry {
        /// Nil for one that was withdrawn before it arrived.
        let command: HandedCommand?
        /// Under which fence it was claimed.
        var fence: Int?
        var isWithdrawn = false
        var answer: String?
    }

    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    /// Which server records, and how many have before it.
    private var recording: (server: String, fence: Int)?

    /// Creates an exchange without commands, at which nobody records.
    package init() {}

    /// How many commands are known, those included that were withdrawn.
    package var count: Int { entries.count }

    /// Lets another server record from now on.
    package func takeOver(_ server: String) { recording = (server, (recording?.fence ?? 0) + 1) }

    /// The exchange as one server has it.
    package nonisolated func server(_ id: String) -> any CommandExchange { Server(commands: self, id: id) }

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
