import Journals
import Operations

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

    static func unknownAction(_ name: String, of store: StoreEntry) -> BoardError {
        let names = store.forms.map { "“\($0.name)”" }.joined(separator: ", ")
        let known = names.isEmpty ? "It has none that can be sent." : "Its actions are \(names)."
        return BoardError(.unknownAction, "“\(store.id)” has no action “\(name.prefix(64))”. \(known)")
    }

    static func unknownMoment(of store: String) -> BoardError {
        BoardError(
            .unknownMoment,
            "There is no state of “\(store.prefix(64))” at that moment: it had not begun, or its changes of then have gone."
        )
    }

    static func invalidInput(_ error: InputMistakes) -> BoardError {
        let one = error.mistakes.count == 1 ? "a mistake" : "\(error.mistakes.count) mistakes"
        return BoardError(
            .invalidInput, "The input has \(one). Correct it and send it again.", fields: error.mistakes)
    }

    static func invalidAction(_ error: any Error) -> BoardError {
        BoardError(.invalidInput, "The action does not fit this store: \(CodingWords.sentence(for: error))")
    }

    static func invalidState(_ error: any Error) -> BoardError {
        BoardError(.invalidInput, "The state does not fit this store: \(CodingWords.sentence(for: error))")
    }

    static var tooMuchWaits: BoardError {
        BoardError(
            .unavailable, "Too much waits to be recorded. Try again when the journal works: see the system page.")
    }

    static func notBegun(_ id: String, opened: Int64, at sequence: Int64) -> BoardError {
        BoardError(
            .unknownMoment,
            "Run “\(id.prefix(64))” began with change \(opened), so there is nothing to show at change \(sequence). "
                + "Its page without “at” shows it as it stands.")
    }

    static func notBegun(operation id: String, first: Int64?, at sequence: Int64) -> BoardError {
        let beginning = first.map { "began with change \($0)" } ?? "was never started"
        return BoardError(
            .unknownMoment,
            "“\(id.prefix(64))” \(beginning), so there is nothing to show at change \(sequence). "
                + "Its page without “at” shows it as it stands.")
    }

    static func forgotten(_ id: String, floor: Int64, at sequence: Int64) -> BoardError {
        BoardError(
            .unknownMoment,
            "Of “\(id.prefix(64))” not everything that happened up to change \(floor) is kept, so how it stood at change "
                + "\(sequence) cannot be shown. Its page without “at” shows it as it stands.")
    }

    static func incomparable(_ first: String, _ second: String) -> BoardError {
        BoardError(
            .incomparable,
            "One run is of “\(first.prefix(64))”, the other of “\(second.prefix(64))”, so their states have nothing in "
                + "common. Choose two runs of one operation.")
    }

    static func noSuccess(before id: String) -> BoardError {
        BoardError(
            .unknownRun,
            "No run of this operation that was started before run “\(id.prefix(64))” succeeded, or none is kept. Choose "
                + "another run on the operation's page.")
    }

    /// What a reader is told when the journal does not answer.
    static func unreadable(_ error: any Error) -> BoardError {
        let reason = (error as? JournalError)?.description ?? "The journal does not answer."
        return BoardError(.unavailable, "\(reason) Try again in a moment.")
    }
}
