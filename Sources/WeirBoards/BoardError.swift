import WeirJournals
public import WeirOperations
package import WeirStates

/// A refusal by the board, with a message for the user.
public struct BoardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a refusal.
    public enum Code: String, Sendable {
        /// No operation has that id.
        case unknownOperation
        /// No run has that id.
        case unknownRun
        /// No store has that id.
        case unknownStore
        /// The operation has no schedule.
        case unknownSchedule
        /// The store has no action of that name, or none that clients can send.
        case unknownAction
        /// The store did not exist at that moment, or its changes from then are no longer kept.
        case unknownMoment
        /// The runs belong to different operations.
        case incomparable
        /// The caller may see the subject but not perform the command.
        case notAllowed
        /// The input does not match the operation's fields.
        case invalidInput
        /// The run has ended, so it cannot be cancelled.
        case alreadyEnded
        /// The run is still active, so it cannot be retried.
        case stillRunning
        /// A run is active and the operation refuses a second one.
        case busy
        /// The actor used the key for another input or another action.
        case keyReused
        /// Too many runs are active.
        case overloaded
        /// Too many runs of the operation, or of the actor, are active.
        case limitReached
        /// Runs of the operation are either started here and cannot be reported, or only reported and cannot be
        /// started.
        case notReported
        /// The operation is a step of another and cannot be started separately.
        case partOfAnother
        /// That step of the run is not waiting for a decision.
        case notAsking
        /// No step of the run failed after others had succeeded.
        case nothingToContinue
        /// The operation's newest end is no failure.
        case nothingToAcknowledge
        /// The run has no step of that name.
        case unknownStep
        /// The run most likely existed and was removed by retention.
        case removedRun
        /// A person deleted the run.
        case deletedRun
        /// The run is a step of another run, and is deleted with it.
        case stepOfRun
        /// The imported file does not have the format of an export.
        case malformedImport
        /// An imported run already exists with different contents.
        case importConflict
        /// The run has begun, but none of its changes is recorded yet.
        case notRecorded
        /// The journal's disk is almost full.
        case noSpace
        /// Another import is in progress.
        case importing
        /// A search exceeded its time limit.
        case searchTooLong
        /// The journal cannot be read or written.
        case unavailable
        /// Another server accepted the command and did not answer, so its outcome is unknown.
        case outcomeUnknown
        /// The server is shutting down.
        case shuttingDown
    }

    /// The kind of refusal.
    public let code: Code
    /// The cause and the remedy, as a message that can be localized.
    package let message: Message
    /// The mistakes of each field with `invalidInput`, or with `unavailable` while the values of choices are being
    /// read.
    public let fields: [InputMistake]

    /// The cause and the remedy in English, in one or two sentences.
    public var description: String { message.description }

    init(
        _ code: Code, _ wording: BoardWording, _ values: [String: Message.Value] = [:], fields: [InputMistake] = []
    ) {
        self.init(code, Message(wording, values), fields: fields)
    }

    package init(_ code: Code, _ message: Message, fields: [InputMistake] = []) {
        self.code = code
        self.message = message
        self.fields = fields
    }
}

extension BoardError {
    static func unknownOperation(_ id: String) -> BoardError {
        BoardError(.unknownOperation, .unknownOperation, ["id": short(id)])
    }

    static func unknownRun(_ id: String) -> BoardError { BoardError(.unknownRun, .unknownRun, ["id": short(id)]) }

    static func notRecorded(_ id: String) -> BoardError { BoardError(.notRecorded, .notRecorded, ["id": short(id)]) }

    static func removedRun(_ id: String) -> BoardError { BoardError(.removedRun, .removedRun, ["id": short(id)]) }

    static func deletedRun(_ deletion: RunDeletion) -> BoardError {
        BoardError(
            .deletedRun, .deletedRun,
            ["id": short(deletion.run), "actor": short(deletion.actor), "at": .text("\(deletion.at)")])
    }

    static func unknownStore(_ id: String) -> BoardError {
        BoardError(.unknownStore, .unknownStore, ["id": short(id)])
    }

    package static func unknownSchedule(of operation: String) -> BoardError {
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

    /// The error for an input with mistakes: `unavailable` if the same input may be valid later, otherwise
    /// `invalidInput`.
    package static func invalidInput(_ error: InputMistakes) -> BoardError {
        let count = error.mistakes.count
        return BoardError(
            error.mistakes.allSatisfy(\.isPassing) ? .unavailable : .invalidInput, count == 1 ? .oneMistake : .mistakes,
            ["count": "\(count)"], fields: error.mistakes)
    }

    /// The error for an input that was rejected, or not checked because of overload or cancellation.
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
        case .actor(let count) where claim.actor == ScheduledStart.actor:
            self.init(.limitReached, .fullSchedule, ["count": "\(count)", "operation": .text(claim.operation)])
        case .actor(let count):
            self.init(.limitReached, .fullActor, ["count": "\(count)", "actor": Self.short(claim.actor)])
        }
    }

    package static var nothingToAcknowledge: BoardError { BoardError(.nothingToAcknowledge, .nothingToAcknowledge) }

    static var tooMuchWaits: BoardError { BoardError(.unavailable, .tooMuchWaits) }

    static var noSpace: BoardError { BoardError(.noSpace, .noSpace) }

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

    static func unreadable(_ error: any Error) -> BoardError {
        let known = error as? JournalError
        if known?.code == .searchTooLong { return BoardError(.searchTooLong, .searchTooLong) }
        let reason = known.map { Message.Value.text($0.description) }
        return BoardError(
            .unavailable, .unreadable, ["reason": reason ?? .message(Message(BoardWording.noAnswer))])
    }

    /// The first 64 characters of a name sent by a client.
    static func short(_ name: String) -> Message.Value { .text(String(name.prefix(64))) }
}
