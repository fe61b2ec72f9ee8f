import WeirStates

/// What a server does on its journal.
package enum BoardRole: String, Sendable {
    /// It starts runs and records: the only server of its journal, or the one of several that does.
    case recording
    /// Another server records; this one shows everything, and starts nothing.
    case following
    /// Another server has taken its place, or the history has ended: this process must end and begin anew.
    case replaced
}

extension BoardError {
    /// The error for commands at a server that follows another.
    static func following(_ recording: String?) -> BoardError {
        guard let recording else { return BoardError(.unavailable, .followingAnother) }
        return BoardError(.unavailable, .following, ["other": .text(recording)])
    }
}
