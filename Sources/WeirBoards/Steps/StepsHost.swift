import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

/// The interface between a steps run and its board.
struct StepsHost: Sendable {
    let run: String
    let opening: RunOpening
    /// Whether the run began in another process, so that its secrets are lost.
    var isResumed = false
    let decisions = StepDecisions()
    /// The waits to end when the server shuts down.
    let closing = StepStops()
    /// The board, or nil once it is gone.
    let board: @Sendable () -> Board?

    var now: Timestamp { board()?.now() ?? Timestamp(milliseconds: 0) }
    var clock: any Clock<Duration> { board()?.clock ?? ContinuousClock() }

    /// Waits until all changes so far are recorded.
    func recorded() async { await board()?.recorder.flush() }

    /// Starts the run of a step, or finds the one that this attempt has already started.
    func start(
        _ operation: String, input: [String: JSONValue], step: String, attempt: Int
    ) async throws(StepRefusal) -> String {
        guard let board = board() else { throw StepRefusal(.shuttingDown) }
        do throws(BoardError) {
            return try await board.startStep(
                operation, input: input, actor: opening.actor, key: key(of: step, attempt)
            ).run
        } catch {
            // The board refuses new runs before it tells the runs of steps that it shuts down.
            if error.code == .shuttingDown { await closed() }
            throw StepRefusal(error)
        }
    }

    private func closed() async {
        let closed = Deferred<Bool>()
        let number = closing.add { closed.resolve(true) }
        _ = await closed.value()
        closing.remove(number)
    }

    /// The recorded run of an attempt at a step, if any.
    func run(of step: String, attempt: Int, operation: String) async -> RunRecord? {
        guard let board = board() else { return nil }
        return try? await board.journal.run(
            idempotencyKey: key(of: step, attempt), operation: operation, actor: opening.actor)
    }

    /// The newest recorded attempt at a step, from the first one in question, and its run.
    func newestRun(of step: String, from first: Int, operation: String) async -> (attempt: Int, run: RunRecord?) {
        var newest = (attempt: first, run: await run(of: step, attempt: first, operation: operation))
        while newest.run != nil, let next = await run(of: step, attempt: newest.attempt + 1, operation: operation) {
            newest = (newest.attempt + 1, next)
        }
        return newest
    }

    /// The cause of the cancellation of the whole run; nil if it exceeded its time limit.
    var stopCause: String? { board()?.runs[run]?.stopCause()?.description }

    /// Cancels the whole run again for the cause that an earlier process recorded.
    func cancelAgain(_ cause: String) { board()?.runs[run]?.cancel(CancellationCause(EndCause(cause))) }

    /// The standard output of a run, without the last line end.
    ///
    /// Throws `StepRefusal` if that is more than 64 KiB, or cannot be read.
    func output(of run: String, step: String) async throws(StepRefusal) -> String {
        guard let board = board() else { throw StepRefusal(.shuttingDown) }
        var text = ""
        var joiner = OutputJoiner()
        var last: SequenceNumber = 0
        while true {
            let lines: [OutputLine]
            do { lines = try await board.output(of: run, after: last, limit: 500) } catch { throw StepRefusal(error) }
            guard let end = lines.last else { break }
            last = end.number
            for line in lines where line.channel == .standardOutput {
                text += joiner.text(line.text, on: line.channel, continues: line.continues)
            }
            guard text.utf8.count <= Self.outputLimit + 1 else {
                throw StepRefusal(
                    .noValue,
                    "The step “\(step)” printed more than 64 KiB, which is too long for a value. Let it write a file.")
            }
        }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    private static let outputLimit = 65_536

    /// Follows a run until its end is recorded or queued; returns nil if the run does not exist.
    ///
    /// Changes are recorded in the order of the queue, so that a change that follows from the end is recorded after it.
    func follow(_ run: String, onChange: @escaping @Sendable (RunRecord) -> Void) async -> RunEnd? {
        guard let board = board() else { return nil }
        let observation = board.feed.observe(.run(run)) { [weak board] _ in
            if let record = board?.feed.run(run)?.record { onChange(record) }
        }
        if let record = board.feed.run(run)?.record { onChange(record) }
        let queued = await board.runs[run]?.queuedEnd.value() ?? nil
        observation.cancel()
        if let queued { return queued }
        return await record(of: run).flatMap { RunEnd(of: $0) }
    }

    /// A run after its end is recorded.
    func record(of run: String) async -> RunRecord? {
        guard let board = board() else { return nil }
        await board.outcome(of: run)
        return try? await board.run(run)
    }

    func isLive(_ run: String) -> Bool { board()?.runs[run] != nil }

    func cancel(_ run: String, _ cause: EndCause) { board()?.runs[run]?.cancel(CancellationCause(cause)) }

    private func key(of step: String, _ attempt: Int) -> String { "step \(run) \(step) \(attempt)" }
}

struct StepRefusal: Error {
    let kind: StepsProgress.Ending.Kind
    let detail: String
    /// Whether the server is shutting down, so that the next process continues.
    var isShutdown = false

    init(_ kind: StepsProgress.Ending.Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }

    init(_ error: BoardError) {
        kind = .notStarted
        isShutdown = error.code == .shuttingDown
        detail = ([error.description] + error.fields.map { "\($0.field): \($0.detail)" }).joined(separator: " ")
    }

    func ending(of step: String) -> StepsProgress.Ending { .init(kind, step: step, detail: detail) }
}
