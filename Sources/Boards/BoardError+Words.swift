import Journals
import Operations

extension BoardError {
    static func unknownOperation(_ id: String) -> BoardError {
        BoardError(.unknownOperation, "There is no operation “\(id.prefix(64))”. The overview lists all operations.")
    }

    static func unknownRun(_ id: String) -> BoardError {
        BoardError(.unknownRun, "There is no run “\(id.prefix(64))”. The list of runs shows all runs.")
    }

    static func notRecorded(_ id: String) -> BoardError {
        BoardError(
            .notRecorded,
            "Run “\(id.prefix(64))” has begun and could not be recorded yet. It is shown as soon as it is recorded; there "
                + "is no need to start it again.")
    }

    static func removedRun(_ id: String) -> BoardError {
        BoardError(
            .removedRun,
            "Run “\(id.prefix(64))” is no longer kept: ended runs are removed when they are too old or too many. "
                + "The list of runs shows the runs that are kept.")
    }

    static func unknownStore(_ id: String) -> BoardError {
        BoardError(.unknownStore, "There is no store “\(id.prefix(64))”. The list of stores names all stores.")
    }

    static func unknownSchedule(of operation: String) -> BoardError {
        BoardError(
            .unknownSchedule,
            "“\(operation.prefix(64))” has no schedule, so it is started only by hand. The list of schedules names those there "
                + "are.")
    }

    static var shuttingDown: BoardError {
        BoardError(.shuttingDown, "The server is shutting down. Start this again when it is back.")
    }

    static func unknownAction(_ name: String, of store: StoreEntry) -> BoardError {
        let names = store.forms.map { "“\($0.name)”" }.joined(separator: ", ")
        let known = names.isEmpty ? "It has no actions that can be sent." : "Its actions are \(names)."
        return BoardError(.unknownAction, "“\(store.id)” has no action “\(name.prefix(64))”. \(known)")
    }

    static func unknownMoment(of store: String) -> BoardError {
        BoardError(
            .unknownMoment,
            "There is no state of “\(store.prefix(64))” at that moment: it had not begun, or its changes from then are gone."
        )
    }

    static func invalidInput(_ error: InputMistakes) -> BoardError {
        let one = error.mistakes.count == 1 ? "a mistake" : "\(error.mistakes.count) mistakes"
        return BoardError(
            .invalidInput, "The input has \(one). Correct it and send it again.", fields: error.mistakes)
    }

    static func invalidAction(_ error: any Error) -> BoardError {
        BoardError(.invalidInput, "The action does not fit this store: \(CodingErrorText.sentence(for: error))")
    }

    static func invalidState(_ error: any Error) -> BoardError {
        BoardError(.invalidInput, "The state does not fit this store: \(CodingErrorText.sentence(for: error))")
    }

    init(_ refusal: RunAdmission.Refusal, of claim: RunAdmission.Claim) {
        switch refusal {
        case .full(let count):
            self.init(.overloaded, "\(count) runs are active, which is the limit. Try again when some have ended.")
        case .kept(let count):
            self.init(
                .overloaded,
                "\(count) runs are active, and the remaining places are reserved for operations with fewer runs. "
                    + "Try again when some have ended.")
        case .operation(let count):
            self.init(
                .limitReached,
                "\(count) runs of “\(claim.operation)” are active, which is the limit of one operation. "
                    + "Wait until some have ended, or cancel them.")
        case .actor(let count):
            self.init(
                .limitReached,
                "\(count) runs that “\(claim.actor.prefix(64))” started are active, which is the limit of one actor. "
                    + "Wait until some have ended, or cancel them.")
        }
    }

    static var tooMuchWaits: BoardError {
        BoardError(
            .unavailable,
            "Too many changes are waiting to be recorded. Try again when the journal works: see the system page.")
    }

    /// The error for an import while another one is running.
    package static var importing: BoardError {
        BoardError(.importing, "Another file is being imported. Send this one again when that import has finished.")
    }

    static func notBegun(_ id: String, opened: SequenceNumber, at sequence: SequenceNumber) -> BoardError {
        BoardError(
            .unknownMoment,
            "Run “\(id.prefix(64))” began with change \(opened), so there is nothing to show at change \(sequence). "
                + "Its page without “at” shows its current state.")
    }

    static func notBegun(operation id: String, first: SequenceNumber?, at sequence: SequenceNumber) -> BoardError {
        let beginning = first.map { "began with change \($0)" } ?? "was never started"
        return BoardError(
            .unknownMoment,
            "“\(id.prefix(64))” \(beginning), so there is nothing to show at change \(sequence). "
                + "Its page without “at” shows its current state.")
    }

    static func forgotten(_ id: String, floor: SequenceNumber, at sequence: SequenceNumber) -> BoardError {
        BoardError(
            .unknownMoment,
            "Of “\(id.prefix(64))”, some changes up to change \(floor) are no longer kept, so its state at change "
                + "\(sequence) cannot be shown. Its page without “at” shows its current state.")
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
            "No run of this operation that was started before run “\(id.prefix(64))” has succeeded, or none is kept. Choose "
                + "another run on the operation's page.")
    }

    /// The error shown when the journal does not answer.
    static func unreadable(_ error: any Error) -> BoardError {
        let reason = (error as? JournalError)?.description ?? "The journal does not answer."
        return BoardError(.unavailable, "\(reason) Try again in a moment.")
    }
}
