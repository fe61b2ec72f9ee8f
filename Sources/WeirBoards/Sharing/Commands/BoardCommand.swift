import WeirJournals
import WeirOperations
import WeirStates

/// What can be asked of a board, as one server hands it to another, in JSON: everything but files and secrets.
///
/// Rights were checked where it was asked; `actor` says who asks. A server of another version may not know a case: then it
/// refuses the command.
enum BoardCommand: Sendable, Hashable, Codable {
    case start(operation: String, input: JSONValue, actor: String, key: String?)
    /// A run with that id, which the server that asks carries out, as it keeps what came with the start besides the input; of
    /// the input, the secrets are missing.
    case startThere(run: String, operation: String, input: JSONValue, retryOf: String?, actor: String, key: String?)
    case cancel(run: String, actor: String)
    case retry(run: String, input: JSONValue?, actor: String, key: String?)
    case retryFromFailedStep(run: String, actor: String, key: String?)
    case decide(run: String, step: String, isApproved: Bool, comment: String?, actor: String)
    case dispatch(action: JSONValue, store: String, actor: String, key: String?)
    case rehydrate(store: String, state: JSONValue, actor: String, key: String?)
    case returnTo(store: String, sequence: SequenceNumber, actor: String, key: String?)
    case reset(store: String, actor: String, key: String?)
    case pauseSchedule(operation: String, actor: String)
    case resumeSchedule(operation: String)
    case dismissNotice(id: String)

    /// What it came to, in JSON as well.
    enum Outcome: Sendable, Hashable, Codable {
        case run(String, sequence: SequenceNumber?, isNew: Bool)
        case store(String, sequence: SequenceNumber?, isNew: Bool)
        case done(Bool)
        case refused(code: String, words: String, mistakes: [InputMistake])
    }
}

extension BoardCommand.Outcome {
    init(_ receipt: StartReceipt) { self = .run(receipt.run, sequence: receipt.sequence, isNew: receipt.isNew) }

    init(_ receipt: StoreReceipt) { self = .store(receipt.store, sequence: receipt.sequence, isNew: receipt.isNew) }

    init(_ error: BoardError) {
        self = .refused(code: error.code.rawValue, words: error.description, mistakes: error.fields)
    }

    /// The change that the command produced.
    var sequence: SequenceNumber? {
        switch self {
        case .run(_, let sequence, _), .store(_, let sequence, _): sequence
        case .done, .refused: nil
        }
    }

    /// The receipt of a command on a run.
    var startReceipt: StartReceipt {
        get throws(BoardError) {
            guard case .run(let run, let sequence, let isNew) = self else { throw refusal }
            return StartReceipt(run: run, sequence: sequence, isNew: isNew)
        }
    }

    /// The receipt of a command on a store.
    var storeReceipt: StoreReceipt {
        get throws(BoardError) {
            guard case .store(let store, let sequence, let isNew) = self else { throw refusal }
            return StoreReceipt(store: store, sequence: sequence, isNew: isNew)
        }
    }

    /// Whether a command without a receipt had something to do.
    var isDone: Bool {
        get throws(BoardError) {
            guard case .done(let isDone) = self else { throw refusal }
            return isDone
        }
    }

    /// Why there is no receipt of the expected kind.
    private var refusal: BoardError {
        guard case .refused(let code, let words, let mistakes) = self else { return .outcomeUnknown(of: nil) }
        // A code that only another version knows says no more than that nothing was done.
        return BoardError(BoardError.Code(rawValue: code) ?? .unavailable, Message(verbatim: words), fields: mistakes)
    }
}
