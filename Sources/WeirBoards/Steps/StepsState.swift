package import WeirJournals
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
package enum StepsState: OperationState, StoppingState, SharedTemplates {
    case waiting(StepsProgress)
    /// The step with that name is current.
    case at(String, StepsProgress)
    /// Cancellation was requested, and the run of the current step has not ended yet.
    case stopping(StepsProgress)
    case succeeded(StepsProgress)
    case failed(StepsProgress)
    case cancelled(StepsProgress)

    /// Reserved names, which steps cannot have.
    package static let ownNames: Set = [
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
}

extension StepsState: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package var name: String {
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

/// The progress of a steps run, recorded with each of its states and the only source of its pages.
package struct StepsProgress: Sendable, Hashable, Codable {
    package var steps: [Step]
    /// Why the run did not succeed, if so.
    package var ending: Ending?
    /// The ending as an English sentence, for API clients.
    package var message: String? { ending?.sentence }

    package init(_ steps: [Step] = [], ending: Ending? = nil) {
        self.steps = steps
        self.ending = ending
    }

    /// The progress at the end of a run, in which every step that had begun and not ended is cancelled.
    fileprivate var ended: StepsProgress {
        let steps = steps.map { step in
            guard !step.status.isOver, step.status != .pending else { return step }
            var ended = step
            (ended.status, ended.until, ended.progress) = (.cancelled, nil, nil)
            return ended
        }
        return StepsProgress(steps, ending: ending)
    }

    private enum CodingKeys: String, CodingKey { case steps, ending, message }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        steps = try members.decodeIfPresent([Step].self, forKey: .steps) ?? []
        ending = try members.decodeIfPresent(Ending.self, forKey: .ending)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(steps, forKey: .steps)
        try members.encodeIfPresent(ending, forKey: .ending)
        try members.encodeIfPresent(message, forKey: .message)
    }

    package enum Status: String, Sendable, Codable, CaseIterable {
        case pending
        case running
        case asking
        /// Its run failed, and another one begins after a delay.
        case retrying
        case succeeded, failed, cancelled, interrupted
        /// It was not needed, or an earlier step failed.
        case skipped

        package var isOver: Bool {
            switch self {
            case .pending, .running, .asking, .retrying: false
            case .succeeded, .failed, .cancelled, .interrupted, .skipped: true
            }
        }
    }

    package struct Step: Sendable, Hashable, Codable {
        package let name: String
        package var status: Status
        /// The operation that it runs; nil for an approval.
        package var operation: String?
        /// The id of its newest run.
        package var run: String?
        package var state: String?
        package var progress: WorkProgress?
        /// The number of the attempt, from 1; nil before the first.
        package var attempt: Int?
        package var began: Timestamp?
        package var ended: Timestamp?
        /// The run of the same operation that performed the step, if a retry took it over.
        package var doneIn: String?
        package var prompt: String?
        package var until: Timestamp?
        package var decision: Decision?

        package init(_ name: String, _ status: Status = .pending, operation: String? = nil) {
            self.name = name
            self.status = status
            self.operation = operation
        }
    }

    /// The decision of an approval: a person's, or the default after the deadline.
    package struct Decision: Sendable, Hashable, Codable {
        package let isApproved: Bool
        /// Who decided; nil if the deadline passed.
        package let by: String?
        package let comment: String?

        package init(isApproved: Bool, by: String?, comment: String? = nil) {
            self.isApproved = isApproved
            self.by = by
            self.comment = comment
        }
    }

    /// Why a steps run did not succeed.
    package struct Ending: Sendable, Hashable, Codable {
        package enum Kind: String, Sendable, Codable, CaseIterable {
            case stepFailed, stepCancelled, stepInterrupted, notStarted, refused, lapsed, tookTooLong, noValue
            case fileChanged, other
        }

        package let kind: Kind
        package let step: String?
        package let by: String?
        package let detail: String?

        package init(_ kind: Kind, step: String? = nil, by: String? = nil, detail: String? = nil) {
            self.kind = kind
            self.step = step
            self.by = by
            self.detail = detail
        }

        package var sentence: String {
            let step = "“\(step ?? "")”"
            let rest = detail.map { " \($0)" } ?? ""
            return switch kind {
            case .stepFailed: "The step \(step) failed.\(rest)"
            case .stepCancelled: "The step \(step) was cancelled.\(rest)"
            case .stepInterrupted: "The server stopped while the step \(step) was running."
            case .notStarted: "The step \(step) could not be started.\(rest)"
            case .refused: "\(by ?? "Somebody") refused at the step \(step).\(detail.map { " “\($0)”" } ?? "")"
            case .lapsed: "No decision was made at the step \(step) in time, which counts as a refusal."
            case .tookTooLong: "The step \(step) took longer than it may."
            case .noValue: "The step \(step) could not be given its input.\(rest)"
            case .fileChanged:
                "The steps of this operation are no longer those that the run began with, so it could not go on after "
                    + "the restart of the server. Start it again."
            case .other: detail ?? ""
            }
        }
    }
}
