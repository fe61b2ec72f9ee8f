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
        do throws(BoardError) {
            guard let board = board() else { throw .shuttingDown }
            return try await board.startStep(
                operation, input: input, actor: opening.actor, key: key(of: step, attempt)
            ).run
        } catch {
            throw StepRefusal(error)
        }
    }

    /// The recorded run of an attempt at a step, if any.
    func run(of step: String, attempt: Int, operation: String) async -> RunRecord? {
        guard let board = board() else { return nil }
        return try? await board.journal.run(
            idempotencyKey: key(of: step, attempt), operation: operation, actor: opening.actor)
    }

    /// Follows a run until its end is recorded; returns nil if the run does not exist.
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

    func record(of run: String) async -> RunRecord? {
        guard let board = board() else { return nil }
        return try? await board.run(run)
    }

    func isLive(_ run: String) -> Bool { board()?.runs[run] != nil }

    func cancel(_ run: String, _ cause: EndCause) { board()?.runs[run]?.cancel(CancellationCause(cause)) }

    private func key(of step: String, _ attempt: Int) -> String { "step \(run) \(step) \(attempt)" }
}

/// The pending approval of a steps run; the first decision wins.
final class StepDecisions: Sendable {
    typealias Apply = @Sendable (StepsProgress.Decision) -> Void

    private let asking = Locked<(step: String, apply: Apply)?>(nil)

    /// Opens an approval; `apply` is called at most once.
    func open(_ step: String, apply: @escaping Apply) { asking.withLock { $0 = (step, apply) } }

    /// Decides the approval; returns false if none is open at that step.
    func decide(_ decision: StepsProgress.Decision, at step: String) -> Bool {
        let apply = asking.withLock { asking -> Apply? in
            guard asking?.step == step else { return nil }
            defer { asking = nil }
            return asking?.apply
        }
        apply?(decision)
        return apply != nil
    }

    func close() { asking.withLock { $0 = nil } }
}

/// Builds the inputs of steps from the input of the whole run and the values that earlier steps reported.
struct StepValues: Sendable {
    let input: [String: JSONValue]
    let fields: [InputField]
    let host: StepsHost

    /// The input of a step, without the fields that refer to an absent input.
    ///
    /// Throws `StepRefusal` if a secret was lost in a restart or a step did not report a value.
    func input(
        _ values: [String: StepValue], after progress: StepsProgress
    ) async throws(StepRefusal) -> [String: JSONValue] {
        let reported = await reported(to: Array(values.values), progress)
        var filled: [String: JSONValue] = [:]
        for (name, value) in values {
            do throws(StepValue.Missing) {
                filled[name] = try value.filled(input: input, reported: reported)
            } catch {
                switch error {
                case .input(let name):
                    guard host.isResumed, fields.contains(where: { $0.name == name && $0.isSecret }) else { continue }
                    throw StepRefusal(
                        .noValue,
                        "The secret “\(name)” is not kept over a restart of the server. Start the operation again.")
                case .reported(let step, let value):
                    throw StepRefusal(.noValue, progress.absence(of: value, from: step))
                }
            }
        }
        return filled
    }

    /// A display text, in which unknown and secret values are empty.
    func text(_ value: StepValue, after progress: StepsProgress) async -> String {
        let reported = await reported(to: [value], progress)
        return value.parts.map { part in
            let secret =
                if case .input(let name) = part { fields.contains { $0.name == name && $0.isSecret } } else { false }
            guard !secret, let filled = try? StepValue([.text(""), part]).filled(input: input, reported: reported)
            else {
                return ""
            }
            return filled.string ?? ""
        }.joined()
    }

    /// The final values of the succeeded steps that these values refer to.
    private func reported(
        to values: [StepValue], _ progress: StepsProgress
    ) async -> [String: [String: JSONValue]] {
        let names = values.flatMap(\.parts).compactMap { part -> String? in
            guard case .reported(let step, _) = part else { return nil }
            return step
        }
        var reported: [String: [String: JSONValue]] = [:]
        for step in progress.steps where names.contains(step.name) && step.status == .succeeded {
            guard let run = step.run, let payload = await host.record(of: run)?.state.payload.object else { continue }
            let own = payload.filter { Self.isScalar($0.value) }
            reported[step.name] = own.merging(payload["values"]?.object ?? [:]) { $1 }
        }
        return reported
    }

    private static func isScalar(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .bool, .integer, .number: true
        case .null, .array, .object: false
        }
    }
}

extension StepsProgress {
    /// Why a step has no value of that name.
    fileprivate func absence(of value: String, from name: String) -> String {
        switch steps.first(where: { $0.name == name })?.status {
        case .skipped: "The step “\(name)” was skipped, so that it has no value “\(value)”."
        case .failed, .cancelled, .interrupted:
            "The step “\(name)” did not succeed, so that it has no value “\(value)”."
        default: "The step “\(name)” reported no value “\(value)”."
        }
    }
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
