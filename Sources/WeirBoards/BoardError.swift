public import WeirOperations
package import WeirStates

/// Why the board refused, in words for the person who asked.
public struct BoardError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of refusal it is.
    public enum Code: String, Sendable {
        /// There is no operation of that id.
        case unknownOperation
        /// There is no run of that id.
        case unknownRun
        /// There is no store of that id.
        case unknownStore
        /// The operation has no schedule.
        case unknownSchedule
        /// The store has no action of that name, or none that can be sent from outside.
        case unknownAction
        /// The store had not begun at that moment, or its changes of then are gone.
        case unknownMoment
        /// The runs are of different operations, so that there is nothing to compare.
        case incomparable
        /// Whoever asks may see that, and not do it.
        case notAllowed
        /// The input does not fit the operation's fields.
        case invalidInput
        /// The run has ended, so it cannot be cancelled.
        case alreadyEnded
        /// The run goes on, so it cannot be tried again.
        case stillRunning
        /// A run is going and the operation refuses a second one.
        case busy
        /// The actor used the key for another input or another action.
        case keyReused
        /// Too many runs are going.
        case overloaded
        /// Too many runs of the operation, or of the actor, are going.
        case limitReached
        /// Runs of the operation are started here, and cannot be reported; or only reported, and cannot be started.
        case notReported
        /// The operation is a step of another, and cannot be started by itself.
        case partOfAnother
        /// Nobody is asked at that step of the run.
        case notAsking
        /// No step of the run failed after others had succeeded.
        case nothingToContinue
        /// There was such a run, most likely, and retention has removed it.
        case removedRun
        /// What is to be imported is not what an export writes.
        case malformedImport
        /// A run that is to be imported is here already, and is not the same.
        case importConflict
        /// The run has begun, and nothing of it could be recorded yet.
        case notRecorded
        /// Another import is going on.
        case importing
        /// A search took longer than it may.
        case searchTooLong
        /// The journal could not be read.
        case unavailable
        /// Another server took it and did not answer: it may have been done or not.
        case outcomeUnknown
        /// The server is shutting down.
        case shuttingDown
    }

    /// What kind of refusal it is.
    public let code: Code
    /// What happened and what to do, for whoever reads another language.
    package let message: Message
    /// The mistakes of each field, with `invalidInput`, and with `unavailable` while the values of choices are being read.
    public let fields: [InputMistake]

    /// What happened and what to do, in a sentence or two, in English.
    public var description: String { message.description }

    /// Makes an error.
    package init(
        _ code: Code, _ wording: BoardWording, _ values: [String: Message.Value] = [:], fields: [InputMistake] = []
    ) {
        self.init(code, Message(wording, values), fields: fields)
    }

    /// Makes an error of a message.
    package init(_ code: Code, _ message: Message, fields: [InputMistake] = []) {
        self.code = code
        self.message = message
        self.fields = fields
    }
}
