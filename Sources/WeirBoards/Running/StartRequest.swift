import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// The parameters of a run; the input matches the operation's fields.
struct StartRequest: Sendable {
    let run: String
    let opening: RunOpening
    let content: (any FileContent)?
    /// The secret part of the input by field, which is not recorded.
    var secrets: [String: JSONValue] = [:]
    /// The interface to the board for a run of steps.
    var host: StepsHost?
    /// The state and revision to begin with, or nil for the initial state.
    var beginning: Beginning?
    var place = RunPlace.here
    /// Whether the run lasts only while it is watched.
    var isWatched = false
    /// The error with which the run fails at once, because this server cannot execute it.
    var failure: (any Error)?

    /// The point at which a resumed or continued run begins.
    struct Beginning: Sendable {
        let state: StateRecord
        /// The revision of the last recorded change, or nil for a new run.
        var revision: Int64?
        /// The part of the timeout that has elapsed.
        var elapsed = Duration.zero
    }

    var input: JSONValue {
        guard !secrets.isEmpty else { return opening.input }
        return .object((opening.input.object ?? [:]).merging(secrets) { $1 })
    }

    /// Masks the secrets in recorded states and output.
    var mask: SecretMask { SecretMask(secrets.values.compactMap(\.string)) }
}

extension CodingUserInfoKey {
    /// The id of the run whose input is decoded.
    package static var run: CodingUserInfoKey {
        // Never traps: Foundation accepts any raw value.
        CodingUserInfoKey(rawValue: "weir.run").unsafelyUnwrapped
    }
}

/// The server that executes a run, from the perspective of this server.
enum RunPlace: Sendable, Hashable {
    /// Admitted, executed and recorded by this server.
    case here
    /// Executed here for the recording server, which admitted it.
    case assigned
    /// Admitted here, and executed by a process of another server, which records its states and output.
    case elsewhere(worker: Int64)
}

/// The process of another server that executes a run which it requested.
struct ForeignStart: Sendable, Hashable {
    let worker: Int64
    /// The run's id if the other server keeps a part of the input, or nil.
    var run: String?
}

/// What a server lacks for a run that it is to execute, in a sentence.
struct NotHere: ExplainedError {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The work of a run that fails at once.
struct FailingWork<Input: OperationInput, State: OperationState>: StateOperation {
    let failure: any Error

    func perform(_ input: Input, state: MutableStateFlow<State>) async throws { throw failure }
}
