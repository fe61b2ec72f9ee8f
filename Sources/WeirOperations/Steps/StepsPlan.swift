package import WeirStates

/// The steps of an operation that runs other operations and requests decisions, in sequence or as a graph.
///
/// The steps are a graph if one of them has `needs`, otherwise each step follows the one before it.
package struct StepsPlan: Sendable, Hashable {
    /// The steps in order, with unique names.
    package let steps: [Step]
    /// The maximum number of steps of a graph that run at the same time.
    package let atOnce: Int
    /// Whether no further step begins after a failure.
    package let stopsAfterFailure: Bool

    package init(_ steps: [Step], atOnce: Int = 4, stopsAfterFailure: Bool = false) {
        self.steps = steps
        self.atOnce = max(atOnce, 1)
        self.stopsAfterFailure = stopsAfterFailure
    }

    package func step(_ name: String) -> Step? { steps.first { $0.name == name } }

    package var isGraph: Bool { steps.contains { $0.needs != nil } }

    /// The steps that must be over before a step of a graph begins; nil in a sequence.
    package func needs(of step: Step) -> [String]? {
        guard isGraph else { return nil }
        let needs = step.needs ?? []
        return needs + step.afterFailureOf.subtracting(needs).sorted()
    }

    package var operations: Set<String> { Set(steps.compactMap(\.operation)) }

    package struct Step: Sendable, Hashable {
        /// The name, which is also the state of the whole run during the step.
        package let name: String
        /// The name for people, in English; nil for one without a title.
        package let title: String?
        package let work: Work
        package let retry: Retry?
        /// The time after which the step's run is cancelled and the step fails.
        package let timeout: Duration?
        /// Runs the step only if one of these steps failed; if empty, only if all steps before succeeded.
        package let afterFailureOf: Set<String>
        /// Whether a run interrupted by a restart of the server is started again.
        package let isRepeatable: Bool
        /// The steps that must succeed before this one, as declared.
        package let needs: [String]?
        /// Whether its failure counts as a success.
        package let allowsFailure: Bool
        /// Whether it runs after all other steps, whatever their outcome.
        package let isFinally: Bool
        /// The condition without which it is skipped.
        package let condition: StepCondition?
        /// The list for whose items the step runs, once for each.
        package let forEach: ForEach?
        package let repetition: Repetition?

        package init(
            _ name: String, _ work: Work, title: String? = nil, retry: Retry? = nil, timeout: Duration? = nil,
            afterFailureOf: Set<String> = [], isRepeatable: Bool = false, needs: [String]? = nil,
            allowsFailure: Bool = false, isFinally: Bool = false, condition: StepCondition? = nil,
            forEach: ForEach? = nil, repetition: Repetition? = nil
        ) {
            self.name = name
            self.title = title == name ? nil : title
            self.work = work
            self.retry = retry
            self.timeout = timeout
            self.afterFailureOf = afterFailureOf
            self.isRepeatable = isRepeatable
            self.needs = needs
            self.allowsFailure = allowsFailure
            self.isFinally = isFinally
            self.condition = condition
            self.forEach = forEach
            self.repetition = repetition
        }

        package var operation: String? {
            guard case .run(let operation, _) = work else { return nil }
            return operation
        }

        package var approval: Approval? {
            guard case .approval(let approval) = work else { return nil }
            return approval
        }
    }

    package enum Work: Sendable, Hashable {
        case run(operation: String, input: [String: StepValue])
        case approval(Approval)
    }

    package struct Retry: Sendable, Hashable {
        package let limit: Int
        package let interval: Duration

        package init(limit: Int, interval: Duration) {
            self.limit = limit
            self.interval = interval
        }
    }

    package struct ForEach: Sendable, Hashable {
        package enum List: Sendable, Hashable {
            case fixed([JSONValue])
            /// A list, a text that is a JSON array, or a text with an item in each line.
            case value(StepValue)
        }

        package let list: List
        /// The maximum number of items at the same time; nil for that of the plan.
        package let atOnce: Int?

        package init(_ list: List, atOnce: Int? = nil) {
            self.list = list
            self.atOnce = atOnce
        }
    }

    /// Runs a step again, at intervals, until rules about its run hold.
    package struct Repetition: Sendable, Hashable {
        package let interval: Duration
        package let until: StepCondition
        /// The maximum number of runs.
        package let limit: Int

        package init(interval: Duration, until: StepCondition, limit: Int) {
            self.interval = interval
            self.until = until
            self.limit = limit
        }
    }

    package struct Approval: Sendable, Hashable {
        /// The question for the person.
        package let prompt: StepValue
        /// The time after which the default applies; nil for no limit.
        package let within: Duration?
        /// Whether the default is an approval.
        package let approvesByItself: Bool
        /// The deciders, as `role:NAME`, `group:NAME` and `user:NAME`; empty for everyone who can act on the operation.
        package let who: [String]

        package init(prompt: StepValue, within: Duration? = nil, approvesByItself: Bool = false, who: [String] = []) {
            self.prompt = prompt
            self.within = within
            self.approvesByItself = approvesByItself
            self.who = who
        }
    }
}
