package import WeirJournals
package import WeirStates

/// How far the steps of a run have come: recorded with each of its states, and all that a page shows of them.
package struct StepsProgress: Sendable, Hashable, Codable {
    /// The steps, in order.
    package var steps: [Step]
    /// Why the run ended otherwise than with its last step.
    package var ending: Ending?
    /// The same in an English sentence, for programs.
    package var message: String? { ending?.sentence }

    /// Makes a progress.
    package init(_ steps: [Step] = [], ending: Ending? = nil) {
        self.steps = steps
        self.ending = ending
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

    /// Where a step stands.
    package enum Status: String, Sendable, Codable, CaseIterable {
        /// It has not begun.
        case pending
        /// Its run goes on, or is about to begin.
        case running
        /// A person is asked.
        case asking
        /// Its run failed, and another one begins after a time.
        case retrying
        case succeeded, failed, cancelled, interrupted
        /// It was not needed, or something before it failed.
        case skipped

        /// Whether nothing more happens to the step.
        package var isOver: Bool {
            switch self {
            case .pending, .running, .asking, .retrying: false
            case .succeeded, .failed, .cancelled, .interrupted, .skipped: true
            }
        }
    }

    /// One step.
    package struct Step: Sendable, Hashable, Codable {
        /// Its name.
        package let name: String
        /// Where it stands.
        package var status: Status
        /// The operation that it runs; nil for a decision.
        package var operation: String?
        /// Its run, the newest if there were several.
        package var run: String?
        /// The case of its run's state.
        package var state: String?
        /// How far its run has come.
        package var progress: WorkProgress?
        /// Which attempt it is, from 1; nil before the first.
        package var attempt: Int?
        /// When it began.
        package var began: Timestamp?
        /// When it was over.
        package var ended: Timestamp?
        /// The run of the same operation in which it was done.
        package var doneIn: String?
        /// What a person is asked.
        package var prompt: String?
        /// Until when.
        package var until: Timestamp?
        /// What was decided.
        package var decision: Decision?

        /// Makes a step.
        package init(_ name: String, _ status: Status = .pending, operation: String? = nil) {
            self.name = name
            self.status = status
            self.operation = operation
        }
    }

    /// What a person decided, or what was decided because nobody did in time.
    package struct Decision: Sendable, Hashable, Codable {
        /// Whether the run goes on.
        package let isApproved: Bool
        /// Who decided; nil if the time was over.
        package let by: String?
        /// What they say about it.
        package let comment: String?

        /// Makes a decision.
        package init(isApproved: Bool, by: String?, comment: String? = nil) {
            self.isApproved = isApproved
            self.by = by
            self.comment = comment
        }
    }

    /// Why a run of steps ended otherwise than with its last step.
    package struct Ending: Sendable, Hashable, Codable {
        /// What happened.
        package enum Kind: String, Sendable, Codable, CaseIterable {
            case stepFailed, stepCancelled, stepInterrupted, notStarted, refused, lapsed, tookTooLong, noValue
            case fileChanged, other
        }

        /// What happened.
        package let kind: Kind
        /// At which step.
        package let step: String?
        /// Who did it.
        package let by: String?
        /// What else there is to say, in words.
        package let detail: String?

        /// Makes an ending.
        package init(_ kind: Kind, step: String? = nil, by: String? = nil, detail: String? = nil) {
            self.kind = kind
            self.step = step
            self.by = by
            self.detail = detail
        }

        /// The ending in an English sentence.
        package var sentence: String {
            let step = "“\(step ?? "")”"
            let rest = detail.map { " \($0)" } ?? ""
            return switch kind {
            case .stepFailed: "The step \(step) failed.\(rest)"
            case .stepCancelled: "The step \(step) was cancelled.\(rest)"
            case .stepInterrupted: "The server stopped while the step \(step) was running."
            case .notStarted: "The step \(step) could not be started.\(rest)"
            case .refused: "\(by ?? "Somebody") refused at the step \(step).\(detail.map { " “\($0)”" } ?? "")"
            case .lapsed: "Nobody decided at the step \(step) in time, which counts as a refusal."
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
