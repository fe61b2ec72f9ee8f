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

        package init(
            _ name: String, _ work: Work, retry: Retry? = nil, timeout: Duration? = nil,
            afterFailureOf: Set<String> = [], isRepeatable: Bool = false, needs: [String]? = nil,
            allowsFailure: Bool = false, isFinally: Bool = false
        ) {
            self.name = name
            self.work = work
            self.retry = retry
            self.timeout = timeout
            self.afterFailureOf = afterFailureOf
            self.isRepeatable = isRepeatable
            self.needs = needs
            self.allowsFailure = allowsFailure
            self.isFinally = isFinally
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

/// A template for a step's value, with references to inputs and to values of earlier steps.
///
/// Inserted values are not expanded again.
package struct StepValue: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        /// An input of the whole run.
        case input(String)
        /// A value of an earlier step's run at its end.
        case reported(step: String, value: String)
    }

    package let parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts }

    package enum Missing: Error, Hashable {
        /// An input was not given; the caller decides what that means.
        case input(String)
        case reported(step: String, value: String)
    }

    /// Evaluates the template; a single reference keeps the value's type; otherwise the result is a text.
    package func filled(
        input: [String: JSONValue], reported: [String: [String: JSONValue]]
    ) throws(Missing) -> JSONValue {
        var text = ""
        for part in parts {
            let value: JSONValue
            switch part {
            case .text(let fixed): value = .string(fixed)
            case .input(let name):
                guard let given = input[name], given != .null else { throw .input(name) }
                value = given
            case .reported(let step, let name):
                guard let given = reported[step]?[name] else { throw .reported(step: step, value: name) }
                value = given
            }
            if parts.count == 1 { return value }
            text += Self.text(value)
        }
        return .string(text)
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .bool(let flag): String(flag)
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .null, .array, .object: ""
        }
    }
}
