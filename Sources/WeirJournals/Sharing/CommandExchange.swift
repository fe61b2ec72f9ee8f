/// Where servers that follow hand commands to the one that records, and get their answers.
///
/// Each command is claimed at most once, by the server that records at that moment. A command that was withdrawn before that
/// is never claimed, however late it arrives. All methods may be called from anywhere and throw only `JournalError`; where
/// one throws, what it does may have happened.
package protocol CommandExchange: Sendable {
    /// Hands a command over; handed over twice, or after it was withdrawn, it counts once, or not at all.
    func hand(_ command: HandedCommand) async throws
    /// What has become of commands; those that wait, or that are being carried out, are left out.
    func replies(to ids: [String]) async throws -> [String: CommandReply]
    /// Takes a command back, unless it was claimed; durable once it returns.
    ///
    /// The id stays taken until the command is removed, so that what was on its way is not carried out either.
    func withdraw(_ id: String) async throws -> CommandWithdrawal
    /// Removes commands whose answers were taken, or that are given up.
    func removeCommands(_ ids: [String]) async throws

    /// Claims the oldest commands that wait; for the server that records.
    ///
    /// - Parameters:
    ///   - nodes: Whose commands: those of servers that are there, and can withdraw them.
    ///   - limit: How many at most.
    /// - Returns: The commands, the oldest first: they are this server's to carry out.
    /// - Throws: `JournalError`: `locked` when another server records.
    func claimCommands(of nodes: [String], limit: Int) async throws -> [HandedCommand]
    /// Answers a command that this server claimed; without effect once another server records.
    func answerCommand(_ id: String, with text: String) async throws
}

/// A command on its way from one server to another.
package struct HandedCommand: Sendable, Hashable {
    /// Names it among all commands.
    package let id: String
    /// The id of the server where somebody asked.
    package let node: String
    /// What is asked, as JSON.
    package let text: String

    /// Creates a command from its parts.
    package init(id: String, node: String, text: String) {
        self.id = id
        self.node = node
        self.text = text
    }
}

/// What has become of a command that was handed over.
package enum CommandReply: Sendable, Hashable {
    /// It was carried out or refused: the answer, as JSON.
    case answered(String)
    /// The server that claimed it does not record any more, so nobody knows what it did.
    case lost
}

/// What withdrawing a command came to.
package enum CommandWithdrawal: Sendable, Hashable {
    /// Nobody has claimed it, and nobody will.
    case withdrawn
    /// It has been answered meanwhile.
    case answered(String)
    /// It was claimed, and there is no answer.
    case claimed
}
