import Journals

extension BoardError {
    static func unknownOperation(_ id: String) -> BoardError {
        BoardError(.unknownOperation, "There is no operation “\(id.prefix(64))”. The overview lists those there are.")
    }

    static func unknownRun(_ id: String) -> BoardError {
        BoardError(.unknownRun, "There is no run “\(id.prefix(64))”. The list of runs shows those there are.")
    }

    static func removedRun(_ id: String) -> BoardError {
        BoardError(
            .removedRun,
            "Run “\(id.prefix(64))” is not kept any more: ended runs are removed once they are old, or too many. "
                + "The list of runs shows those that are kept.")
    }

    static func unknownStore(_ id: String) -> BoardError {
        BoardError(.unknownStore, "There is no store “\(id.prefix(64))”. The list of stores names those there are.")
    }

    /// What a reader is told when the journal does not answer.
    static func unreadable(_ error: any Error) -> BoardError {
        let reason = (error as? JournalError)?.description ?? "The journal does not answer."
        return BoardError(.unavailable, "\(reason) Try again in a moment.")
    }
}
