import WeirJournals
import WeirOperations
import WeirStates

/// Starts runs of one operation on one board.
protocol RunStarter: Sendable {
    /// Starts a run, or joins one, as the operation's policy says.
    ///
    /// - Parameters:
    ///   - request: What to start it with.
    ///   - willBegin: Called with a new run before its work begins and before its opening can be recorded.
    ///   - onEnd: Called when a new run has reached its end state, recorded or not.
    /// - Returns: The id of the run: the request's, or that of the run which was joined.
    /// - Throws: `invalidInput` for an input that does not decode, and `busy`.
    func start(
        _ request: StartRequest, willBegin: (LiveRun) -> Void, onEnd: @escaping @Sendable (String, Phase) -> Void
    ) throws(BoardError) -> String
}

/// What a run is to be started with; the input fits the operation's fields.
struct StartRequest: Sendable {
    let run: String
    let opening: RunOpening
    let content: (any FileContent)?
    /// What of the input must not be recorded, by field.
    var secrets: [String: JSONValue] = [:]
    /// The board, as a run of steps sees it.
    var host: StepsHost?
    /// Where it begins, if not in the initial state.
    var beginning: Beginning?
    /// Where it is carried out.
    var place = RunPlace.here

    /// Where a run begins that does not begin in the initial state.
    struct Beginning: Sendable {
        let state: StateRecord
        /// The revision of its last recorded change; nil for a new run.
        var revision: Int64?
        /// How much of its time it has had.
        var elapsed = Duration.zero
    }

    /// The whole input, as the work gets it.
    var input: JSONValue {
        guard !secrets.isEmpty else { return opening.input }
        return .object((opening.input.object ?? [:]).merging(secrets) { $1 })
    }

    /// Takes the secrets out of what the run records.
    var mask: SecretMask { SecretMask(secrets.values.compactMap(\.string)) }
}
