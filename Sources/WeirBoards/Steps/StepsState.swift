import WeirJournals
import WeirOperations
package import WeirStates

/// The states of a steps operation: the current step, and the end.
///
/// | state | case | payload |
/// |---|---|---|
/// | `.waiting(…)` | `waiting` | `{"steps": […]}` |
/// | `.at("copy", …)` | `copy` | `{"steps": [{"name": "copy", "status": "running", "run": "…", …}]}` |
/// | `.stopping(…)` | `stopping` | as before |
/// | `.succeeded(…)` | `succeeded` | as before |
/// | `.failed(…)` | `failed` | `{"message": "The step “copy” failed.", "steps": […]}` |
/// | `.cancelled(…)` | `cancelled` | as before |
package enum StepsState: OperationState, PartlyRecordedState, StoppingState, SharedTemplates {
    case waiting(StepsProgress)
    /// The step with that name is current.
    case at(String, StepsProgress)
    /// Cancellation was requested, and the run of the current step has not ended yet.
    case stopping(StepsProgress)
    case succeeded(StepsProgress)
    case failed(StepsProgress)
    case cancelled(StepsProgress)

    /// Reserved names, which steps cannot have.
    static let ownNames: Set = [
        "waiting", "stopping", "succeeded", "failed", "cancelled", "interrupted", "idle", "active", "value",
    ]

    package var steps: StepsProgress {
        switch self {
        case .waiting(let steps), .at(_, let steps), .stopping(let steps), .succeeded(let steps), .failed(let steps),
            .cancelled(let steps):
            steps
        }
    }

    package static var initial: StepsState { .waiting(StepsProgress()) }

    /// `failed`, with the explanation of the error.
    package static func failed(_ error: any Error) -> StepsState {
        .failed(StepsProgress(ending: .init(.other, detail: error.explanation)))
    }

    /// `failed`, with the progress of the last state.
    package static func failed(_ error: any Error, from last: StepsState) -> StepsState {
        var steps = last.steps.ended
        steps.ending = .init(.other, detail: error.explanation)
        return .failed(steps)
    }

    package static func cancelled(from last: StepsState) -> StepsState { .cancelled(last.steps.ended) }

    package var stopping: StepsState { .stopping(steps) }

    package static var samples: [StepsState] { StepsOperation(StepsPlan([]), fields: []).stateSamples }

    package var phase: Phase {
        switch self {
        case .waiting: .idle
        case .at, .stopping: .active
        case .succeeded: .succeeded
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    package var progress: WorkProgress? {
        guard case .at = self else { return nil }
        let steps = steps.steps
        return WorkProgress(steps.count { $0.status.isOver }, of: steps.count)
    }

    package static var templateFolder: String { "steps" }

    package func record(after earlier: StepsState, recorded: StateRecord) throws -> StateRecord {
        let payload = try steps.json(after: earlier.steps, recorded.payload)
        return StateRecord(caseName: name, payload: payload, phase: phase, progress: progress)
    }
}

extension StepsState: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var name: String {
        switch self {
        case .waiting: "waiting"
        case .at(let name, _): name
        case .stopping: "stopping"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        }
    }

    package init(from decoder: any Decoder) throws {
        let cases = try decoder.container(keyedBy: Key.self)
        guard let key = cases.allKeys.first, cases.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "A state is an object with one member."))
        }
        let steps = try cases.decode(StepsProgress.self, forKey: key)
        switch key.stringValue {
        case "waiting": self = .waiting(steps)
        case "stopping": self = .stopping(steps)
        case "succeeded": self = .succeeded(steps)
        case "failed": self = .failed(steps)
        case "cancelled": self = .cancelled(steps)
        case let name: self = .at(name, steps)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var cases = encoder.container(keyedBy: Key.self)
        try cases.encode(steps, forKey: Key(stringValue: name))
    }
}
