package import WeirJournals
package import WeirOperations
package import WeirStates

/// The progress of a steps run, recorded with each of its states and the only source of its pages.
package struct StepsProgress: Sendable, Hashable, Codable {
    package var steps: [Step]
    /// Why the run did not succeed, if so.
    package var ending: Ending?
    /// The cause of the cancellation of a run that is stopping.
    var stop: String?
    /// The ending and the other failed steps as an English sentence, for API clients.
    package var message: String? {
        guard let ending else { return nil }
        let sentence = ending.sentence(naming: title(of:))
        let others = otherFailures
        guard !others.named.isEmpty else { return sentence }
        let names = others.named.map { "“\(title(of: $0))”" }.joined(separator: ", ")
        let rest = others.more > 0 ? " and \(others.more) more" : ""
        let isEnded = sentence.last.map { ".!?”".contains($0) } ?? true
        return "\(sentence)\(isEnded ? "" : ".") Also failed: \(names)\(rest)."
    }

    /// The maximum number of other failed steps that a sentence names.
    private static let namedLimit = 5

    /// The steps that failed in addition to that of the ending, in the order of the file: the names that a sentence has, and the
    /// number of further ones.
    package var otherFailures: (named: ArraySlice<String>, more: Int) {
        guard let first = ending?.step else { return ([], 0) }
        let others = steps.filter { $0.isFailed && !$0.allowsFailure && $0.name != first }.map(\.name)
        let named = others.count > Self.namedLimit ? others.prefix(Self.namedLimit - 1) : others[...]
        return (named, others.count - named.count)
    }

    private func title(of step: String) -> String { steps.first { $0.name == step }?.title ?? step }

    init(_ steps: [Step] = [], ending: Ending? = nil) {
        self.steps = steps
        self.ending = ending
    }

    /// The progress before any step begins.
    package init(of plan: StepsPlan) { self.init(plan.steps.map { Step($0, needs: plan.needs(of: $0)) }) }

    package var isGraph: Bool { steps.contains { $0.needs != nil } }

    /// The progress at the end of a run, in which every step that had begun and not ended is cancelled.
    var ended: StepsProgress {
        let steps = steps.map { step in
            guard !step.status.isOver, step.status != .pending else { return step }
            var ended = step
            (ended.status, ended.until, ended.progress) = (.cancelled, nil, nil)
            return ended
        }
        return StepsProgress(steps, ending: ending)
    }

    private enum CodingKeys: String, CodingKey { case steps, ending, message, stop }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        steps = try members.decodeIfPresent([Step].self, forKey: .steps) ?? []
        ending = try members.decodeIfPresent(Ending.self, forKey: .ending)
        stop = try members.decodeIfPresent(String.self, forKey: .stop)
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(steps, forKey: .steps)
        try encodeRest(to: &members)
    }

    private func encodeRest(to members: inout KeyedEncodingContainer<CodingKeys>) throws {
        try members.encodeIfPresent(ending, forKey: .ending)
        try members.encodeIfPresent(message, forKey: .message)
        try members.encodeIfPresent(stop, forKey: .stop)
    }

    /// The members beside the steps.
    private struct Rest: Encodable {
        let progress: StepsProgress

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try progress.encodeRest(to: &members)
        }
    }

    /// The encoded progress, in which the encoded steps that are the same in an earlier progress are reused.
    func json(after earlier: StepsProgress, _ encoded: JSONValue) throws -> JSONValue {
        let known = encoded["steps"]?.array ?? []
        let isAlike = known.count == earlier.steps.count
        let elements = try steps.enumerated().map { index, step in
            let isKnown = isAlike && index < known.count && earlier.steps[index] == step
            return isKnown ? known[index] : try JSONValue(encoding: step)
        }
        var members = try JSONValue(encoding: Rest(progress: self)).object ?? [:]
        members["steps"] = .array(elements)
        return .object(members)
    }

    /// Decodes a progress; steps that are encoded the same in an earlier one are taken from it.
    package init(_ encoded: JSONValue, after earlier: StepsProgress?, _ earlierEncoded: JSONValue?) throws {
        let (elements, known) = (encoded["steps"]?.array ?? [], earlierEncoded?["steps"]?.array ?? [])
        guard let earlier, known.count == earlier.steps.count, elements.count == known.count else {
            self = try encoded.decode(StepsProgress.self)
            return
        }
        var rest = encoded.object ?? [:]
        rest["steps"] = nil
        self = try JSONValue.object(rest).decode(StepsProgress.self)
        steps = try zip(zip(elements, known), earlier.steps).map { pair, step in
            pair.0 == pair.1 ? step : try pair.0.decode(Step.self)
        }
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
        /// The name for people, in English; nil if it has no other.
        package var title: String?
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
        /// The steps that must be over before it begins, including those of `when_failed`; nil in a sequence.
        package var needs: [String]?
        /// Why it was skipped.
        package var because: Because?
        /// The items of a step that runs once for each of a list.
        package var items: StepItems?
        /// The run of the program that decides whether the step is skipped.
        package var check: String?
        /// The maximum number of attempts of a step that repeats until a condition is met.
        var limit: Int?
        private var isAllowed: Bool?
        private var isLast: Bool?

        /// Whether its failure counts as a success.
        package var allowsFailure: Bool {
            get { isAllowed ?? false }
            set { isAllowed = newValue ? true : nil }
        }

        /// Whether it runs after all other steps, whatever their outcome.
        package var isFinally: Bool {
            get { isLast ?? false }
            set { isLast = newValue ? true : nil }
        }

        package init(_ name: String, _ status: Status = .pending, operation: String? = nil) {
            self.name = name
            self.status = status
            self.operation = operation
        }

        init(_ step: StepsPlan.Step, needs: [String]?) {
            self.init(step.name, operation: step.operation)
            title = step.title
            self.needs = needs
            allowsFailure = step.allowsFailure
            isFinally = step.isFinally
        }

        private enum CodingKeys: String, CodingKey {
            case name, title, status, operation, run, state, progress, attempt, began, ended, doneIn, prompt, until
            case decision, needs, because, items, check, limit
            case isAllowed = "allowsFailure"
            case isLast = "isFinally"
        }
    }

    /// Why a step was skipped.
    package struct Because: Sendable, Hashable, Codable {
        package enum Kind: String, Sendable, Codable, CaseIterable {
            /// A step that it needs, directly or through others, did not succeed.
            case need
            /// Its own condition was not met.
            case condition
            /// None of the steps failed after whose failure it runs.
            case noFailure
            /// No further step begins after the failure of another one, or after a cancellation.
            case stopped
        }

        package let kind: Kind
        /// The step that did not succeed.
        package let step: String?
        /// The condition in words, as an English phrase.
        package let condition: String?

        init(_ kind: Kind, step: String? = nil, condition: String? = nil) {
            self.kind = kind
            self.step = step
            self.condition = condition
        }
    }

    /// The decision of an approval: a person's, or the default after the deadline.
    package struct Decision: Sendable, Hashable, Codable {
        package let isApproved: Bool
        /// Who decided; nil if the deadline passed.
        package let by: String?
        package let comment: String?

        init(isApproved: Bool, by: String?, comment: String? = nil) {
            self.isApproved = isApproved
            self.by = by
            self.comment = comment
        }
    }

    /// The failed items of a step, for the sentence that says so.
    package struct FailedItems: Sendable, Hashable, Codable {
        package let count: Int
        package let total: Int
        /// The first of them as texts.
        let first: [String]

        init(_ items: StepItems) {
            (count, total) = (items.count(.failed), items.total)
            let failed = Set(items.indices(.failed))
            first = items.failures.filter { failed.contains($0.index) }.sorted { $0.index < $1.index }.prefix(5)
                .map { $0.item.count > 40 ? $0.item.prefix(39) + "…" : $0.item }
        }

        /// The first items in a line, with an ellipsis if there are others.
        package var names: String { (first + (first.count < count ? ["…"] : [])).joined(separator: ", ") }

        fileprivate var sentence: String { "\(count) of \(total) items: \(names)" }
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
        /// The failed items of the step, if it runs once for each of a list.
        package let items: FailedItems?

        init(
            _ kind: Kind, step: String? = nil, by: String? = nil, detail: String? = nil, items: FailedItems? = nil
        ) {
            self.kind = kind
            self.step = step
            self.by = by
            self.detail = detail
            self.items = items
        }

        fileprivate func sentence(naming title: (_ step: String) -> String) -> String {
            let step = "“\(step.map(title) ?? "")”"
            let rest = detail.map { " \($0)" } ?? ""
            return switch kind {
            case .stepFailed where items != nil:
                "The step \(step) failed for \(items?.sentence ?? "")\(detail.map { ". \($0)" } ?? "")"
            case .stepFailed: "The step \(step) failed.\(rest)"
            case .stepCancelled: "The step \(step) was cancelled.\(rest)"
            case .stepInterrupted: "The server stopped while the step \(step) was running."
            case .notStarted: "The step \(step) could not be started.\(rest)"
            case .refused: "\(by ?? "Somebody") refused at the step \(step).\(detail.map { " “\($0)”" } ?? "")"
            case .lapsed: "No decision was made at the step \(step) in time, which counts as a refusal."
            case .tookTooLong: "The step \(step) took longer than it may."
            case .noValue: "The step \(step) could not be given its input.\(rest)"
            case .fileChanged:
                "The steps of this operation are no longer those that the run began with, so it could not continue after "
                    + "the restart of the server. Start it again."
            case .other: detail ?? ""
            }
        }
    }
}
