import WeirJournals
import WeirOperations
import WeirStates

extension BoardError {
    static func unknownOperation(_ id: String) -> BoardError {
        BoardError(.unknownOperation, .unknownOperation, ["id": short(id)])
    }

    static func unknownRun(_ id: String) -> BoardError { BoardError(.unknownRun, .unknownRun, ["id": short(id)]) }

    static func notRecorded(_ id: String) -> BoardError { BoardError(.notRecorded, .notRecorded, ["id": short(id)]) }

    static func removedRun(_ id: String) -> BoardError { BoardError(.removedRun, .removedRun, ["id": short(id)]) }

    static func unknownStore(_ id: String) -> BoardError {
        BoardError(.unknownStore, .unknownStore, ["id": short(id)])
    }

    static func unknownSchedule(of operation: String) -> BoardError {
        BoardError(.unknownSchedule, .unknownSchedule, ["id": short(operation)])
    }

    static var shuttingDown: BoardError { BoardError(.shuttingDown, .shuttingDown) }

    static func unknownAction(_ name: String, of store: StoreEntry) -> BoardError {
        let names = store.forms.map { "“\($0.name)”" }.joined(separator: ", ")
        return BoardError(
            .unknownAction, names.isEmpty ? .noActions : .unknownAction,
            ["store": .text(store.id), "name": short(name), "names": .text(names)])
    }

    static func unknownMoment(of store: String) -> BoardError {
        BoardError(.unknownMoment, .storeMoment, ["id": short(store)])
    }

    /// The refusal of an input with mistakes: `unavailable` if the same input can be right in a moment.
    static func invalidInput(_ error: InputMistakes) -> BoardError {
        let count = error.mistakes.count
        return BoardError(
            error.mistakes.allSatisfy(\.isPassing) ? .unavailable : .invalidInput, count == 1 ? .oneMistake : .mistakes,
            ["count": "\(count)"], fields: error.mistakes)
    }

    /// The error for an input that was not accepted, or not checked because too many wait or the caller was cancelled.
    static func refusal(by error: any Error) -> BoardError {
        guard let mistakes = error as? InputMistakes else { return BoardError(.overloaded, .tooManyChecks) }
        return invalidInput(mistakes)
    }

    static func invalidAction(_ error: any Error) -> BoardError {
        BoardError(.invalidInput, .invalidAction, ["reason": "\(CodingErrorText.sentence(for: error))"])
    }

    static func invalidState(_ error: any Error) -> BoardError {
        BoardError(.invalidInput, .invalidState, ["reason": "\(CodingErrorText.sentence(for: error))"])
    }

    init(_ refusal: RunAdmission.Refusal, of claim: RunAdmission.Claim) {
        switch refusal {
        case .full(let count): self.init(.overloaded, .full, ["count": "\(count)"])
        case .kept(let count): self.init(.overloaded, .kept, ["count": "\(count)"])
        case .operation(let count):
            self.init(
                .limitReached, .fullOperation, ["count": "\(count)", "operation": .text(claim.operation)])
        case .actor(let count):
            self.init(.limitReached, .fullActor, ["count": "\(count)", "actor": Self.short(claim.actor)])
        }
    }

    static var tooMuchWaits: BoardError { BoardError(.unavailable, .tooMuchWaits) }

    /// The error for an import while another one is running.
    package static var importing: BoardError { BoardError(.importing, .importing) }

    static func notBegun(_ id: String, opened: SequenceNumber, at sequence: SequenceNumber) -> BoardError {
        BoardError(
            .unknownMoment, .runNotBegun, ["id": short(id), "first": "\(opened)", "change": "\(sequence)"])
    }

    static func notBegun(operation id: String, first: SequenceNumber?, at sequence: SequenceNumber) -> BoardError {
        var values: [String: Message.Value] = ["id": short(id), "change": "\(sequence)"]
        if let first { values["first"] = "\(first)" }
        return BoardError(.unknownMoment, first == nil ? .neverStarted : .operationNotBegun, values)
    }

    static func forgotten(_ id: String, floor: SequenceNumber, at sequence: SequenceNumber) -> BoardError {
        BoardError(.unknownMoment, .forgotten, ["id": short(id), "floor": "\(floor)", "change": "\(sequence)"])
    }

    static func incomparable(_ first: String, _ second: String) -> BoardError {
        BoardError(.incomparable, .incomparable, ["first": short(first), "second": short(second)])
    }

    static func noSuccess(before id: String) -> BoardError {
        BoardError(.unknownRun, .noSuccess, ["id": short(id)])
    }

    /// The error shown when the journal does not answer.
    static func unreadable(_ error: any Error) -> BoardError {
        let known = error as? JournalError
        if known?.code == .searchTooLong { return BoardError(.searchTooLong, .searchTooLong) }
        let reason = known.map { Message.Value.text($0.description) }
        return BoardError(
            .unavailable, .unreadable, ["reason": reason ?? .message(Message(BoardWording.noAnswer))])
    }

    /// A name that somebody sent, at most as much of it as a sentence can hold.
    static func short(_ name: String) -> Message.Value { .text(String(name.prefix(64))) }
}
