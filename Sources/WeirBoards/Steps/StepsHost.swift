import WeirJournals
import WeirOperations
import WeirStates

/// What a run of steps asks of its board.
struct StepsHost: Sendable {
    /// The run.
    let run: String
    /// What it was started with.
    let opening: RunOpening
    /// Whether it began in another process, of whose secrets nothing is known here.
    var isResumed = false
    /// The decision that it waits for.
    let decisions = StepDecisions()
    /// The board, as long as there is one.
    let board: @Sendable () -> Board?

    var now: Timestamp { board()?.now() ?? Timestamp(milliseconds: 0) }
    var clock: any Clock<Duration> { board()?.clock ?? ContinuousClock() }

    /// Waits until what happened so far is recorded.
    func recorded() async { await board()?.recorder.flush() }

    /// Starts the run of a step, or finds the one that this attempt started.
    func start(
        _ operation: String, input: [String: JSONValue], step: String, attempt: Int
    ) async throws(StepRefusal) -> String {
        do throws(BoardError) {
            guard let board = board() else { throw .shuttingDown }
            return try await board.startStep(
                operation, input: input, actor: opening.actor, key: key(of: step, attempt)
            ).run
        } catch {
            throw StepRefusal(error)
        }
    }

    /// The run that an attempt at a step started, if it is recorded.
    func run(of step: String, attempt: Int, operation: String) async -> RunRecord? {
        guard let board = board() else { return nil }
        return try? await board.journal.run(
            idempotencyKey: key(of: step, attempt), operation: operation, actor: opening.actor)
    }

    /// Follows a run to its end, which is recorded then; nil if there is no such run any more.
    func follow(_ run: String, onChange: @escaping @Sendable (RunRecord) -> Void) async -> RunRecord? {
        guard let board = board() else { return nil }
        let observation = board.feed.observe(.run(run)) { [weak board] _ in
            if let record = board?.feed.run(run)?.record { onChange(record) }
        }
        if let record = board.feed.run(run)?.record { onChange(record) }
        await board.outcome(of: run)
        observation.cancel()
        return await record(of: run)
    }

    /// A run as it stands.
    func record(of run: String) async -> RunRecord? {
        guard let board = board() else { return nil }
        return try? await board.run(run)
    }

    /// Whether a run goes on in this process.
    func isLive(_ run: String) -> Bool { board()?.runs[run] != nil }

    /// Asks the run of a step to stop.
    func cancel(_ run: String, _ cause: EndCause) { board()?.runs[run]?.cancel(CancellationCause(cause)) }

    private func key(of step: String, _ attempt: Int) -> String { "step \(run) \(step) \(attempt)" }
}
