import WeirFlows
import WeirOperations
import WeirStates

/// The outcomes of the steps of a test, and the runs that have begun.
final class GraphScript: Sendable {
    private struct Core {
        var outcomes: [String: [StepOutcome]]
        var inputs: [String: [JSONValue]] = [:]
        var active: [String: [Int: MutableStateFlow<StepOutcome?>]] = [:]
        var next = 0
    }

    private let core: Locked<Core>
    private let news: @Sendable () -> Void

    init(_ outcomes: [String: [StepOutcome]], news: @escaping @Sendable () -> Void) {
        core = Locked(Core(outcomes: outcomes))
        self.news = news
    }

    func inputs(of step: String) -> [JSONValue] { core.withLock { $0.inputs[step] ?? [] } }

    /// The number of the step's runs that wait.
    func active(_ step: String) -> Int { core.withLock { $0.active[step]?.count ?? 0 } }

    /// Ends the waiting runs of a step; returns whether there are any.
    func finish(_ step: String, _ outcome: StepOutcome) -> Bool {
        // Not active from now on, because they end although they have not resumed yet.
        let waiting = core.withLock { Array((($0.active.removeValue(forKey: step)) ?? [:]).values) }
        for flow in waiting { flow.value = outcome }
        return !waiting.isEmpty
    }

    /// Performs a run of a step: returns its values, or throws.
    func run(_ step: String, _ input: JSONValue, otherwise: [String: JSONValue]) async throws -> [String: JSONValue] {
        let (id, first) = core.withLock { core in
            core.next += 1
            core.inputs[step, default: []].append(input)
            var outcome = core.outcomes[step]?.first
            // The last outcome repeats.
            if let count = core.outcomes[step]?.count, count > 1 { outcome = core.outcomes[step]?.removeFirst() }
            return (core.next, outcome ?? .succeeds(otherwise))
        }
        defer {
            core.withLock { _ = $0.active[step]?.removeValue(forKey: id) }
            news()
        }
        var outcome = first
        while true {
            switch outcome.kind {
            case .succeeds(let values): return values
            case .fails(let message, let exitCode): throw ScriptedFailure(description: message, exitCode: exitCode)
            case .depends(let choose): outcome = choose(input)
            case .waits:
                let flow = MutableStateFlow<StepOutcome?>(nil, areEquivalent: { _, _ in false })
                core.withLock { $0.active[step, default: [:]][id] = flow }
                news()
                guard let next = await flow.first(where: { $0 != nil }), let next else { throw CancellationError() }
                outcome = next
            }
        }
    }
}

struct ScriptedFailure: ExplainedError {
    let description: String
    let exitCode: Int
}

/// The operation of a step in a test.
struct ScriptedStep: StateOperation {
    let step: String
    let inputFields: [InputField]
    let values: [String: JSONValue]
    let script: GraphScript

    func perform(_ input: ScriptedInput, state: MutableStateFlow<ScriptedState>) async throws {
        state.value = .working
        state.value = .succeeded(try await script.run(step, input.values, otherwise: values))
    }
}

struct ScriptedInput: OperationInput {
    static var fields: [InputField] { [] }
    let values: JSONValue

    init(from decoder: any Decoder) throws { values = try JSONValue(from: decoder) }

    func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}

enum ScriptedState: OperationState {
    case waiting, working
    case succeeded([String: JSONValue])
    case failed(message: String, code: Int)
    case cancelled

    static let initial = ScriptedState.waiting
    static let samples: [ScriptedState] = [
        .waiting, .working, .succeeded([:]), .failed(message: "An example.", code: 1), .cancelled,
    ]

    static func failed(_ error: any Error) -> ScriptedState {
        .failed(message: error.explanation, code: (error as? ScriptedFailure)?.exitCode ?? 1)
    }

    static func cancelled(from last: ScriptedState) -> ScriptedState { .cancelled }

    var phase: Phase {
        switch self {
        case .waiting: .idle
        case .working: .active
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    init(from decoder: any Decoder) throws {
        let object = try JSONValue(from: decoder).object ?? [:]
        switch object.keys.first {
        case "working": self = .working
        case "succeeded": self = .succeeded(object["succeeded"]?.object ?? [:])
        case "failed":
            let code = object["failed"]?["code"]?.integer.map { Int(clamping: $0) } ?? 1
            self = .failed(message: object["failed"]?["message"]?.string ?? "", code: code)
        case "cancelled": self = .cancelled
        default: self = .waiting
        }
    }

    func encode(to encoder: any Encoder) throws {
        let object: [String: JSONValue] =
            switch self {
            case .waiting: ["waiting": [:]]
            case .working: ["working": [:]]
            case .succeeded(let values): ["succeeded": .object(values)]
            case .failed(let message, let code):
                ["failed": ["message": .string(message), "code": .integer(Int64(code))]]
            case .cancelled: ["cancelled": [:]]
            }
        try JSONValue.object(object).encode(to: encoder)
    }
}
