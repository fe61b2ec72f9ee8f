package import WeirStates

/// What an operation of steps does: runs of other operations and decisions of people, one after the other.
package struct StepsPlan: Sendable, Hashable {
    /// The steps, in order; each has a name of its own.
    package let steps: [Step]

    /// Makes a plan.
    package init(_ steps: [Step]) { self.steps = steps }

    /// The step of that name.
    package func step(_ name: String) -> Step? { steps.first { $0.name == name } }

    /// The ids of the operations that it runs.
    package var operations: Set<String> { Set(steps.compactMap(\.operation)) }

    /// One of the steps.
    package struct Step: Sendable, Hashable {
        /// The name, which is the state that the whole run is in meanwhile.
        package let name: String
        /// What is done.
        package let work: Work
        /// How often, and after what time, a failed run is started again.
        package let retry: Retry?
        /// After how long its run is stopped, and the step fails.
        package let timeout: Duration?
        /// The steps one of which must have failed; without any, the step comes where all before it went well.
        package let afterFailureOf: Set<String>
        /// Whether a run that a restart of the server interrupted is started again.
        package let isRepeatable: Bool

        /// Makes a step.
        package init(
            _ name: String, _ work: Work, retry: Retry? = nil, timeout: Duration? = nil,
            afterFailureOf: Set<String> = [], isRepeatable: Bool = false
        ) {
            self.name = name
            self.work = work
            self.retry = retry
            self.timeout = timeout
            self.afterFailureOf = afterFailureOf
            self.isRepeatable = isRepeatable
        }

        /// The operation that it runs.
        package var operation: String? {
            guard case .run(let operation, _) = work else { return nil }
            return operation
        }

        /// The decision that it asks for.
        package var approval: Approval? {
            guard case .approval(let approval) = work else { return nil }
            return approval
        }
    }

    /// What a step does.
    package enum Work: Sendable, Hashable {
        /// Runs an operation with an input, by the names of its fields.
        case run(operation: String, input: [String: StepValue])
        /// Waits for the decision of a person.
        case approval(Approval)
    }

    /// How a failed run is started again.
    package struct Retry: Sendable, Hashable {
        /// How many more times.
        package let limit: Int
        /// The time between two attempts.
        package let interval: Duration

        /// Makes a rule.
        package init(limit: Int, interval: Duration) {
            self.limit = limit
            self.interval = interval
        }
    }

    /// A decision that a person takes.
    package struct Approval: Sendable, Hashable {
        /// What the person is asked.
        package let prompt: StepValue
        /// After how long it is taken without anybody; nil for never.
        package let within: Duration?
        /// Whether it then is an approval.
        package let approvesByItself: Bool
        /// Who alone decides, as `role:NAME`, `group:NAME` and `user:NAME`; empty for all who may act on the operation.
        package let who: [String]

        /// Makes a decision.
        package init(prompt: StepValue, within: Duration? = nil, approvesByItself: Bool = false, who: [String] = []) {
            self.prompt = prompt
            self.within = within
            self.approvesByItself = approvesByItself
            self.who = who
        }
    }
}

/// A value for a step: a text with places for inputs and for what earlier steps reported.
///
/// What is put in is not looked at again, whatever it holds.
package struct StepValue: Sendable, Hashable {
    /// A piece of it.
    package enum Part: Sendable, Hashable {
        /// A text that stands there as it is.
        case text(String)
        /// An input of the whole run.
        case input(String)
        /// A value that a step's run had in the end.
        case reported(step: String, value: String)
    }

    /// The pieces, in order.
    package let parts: [Part]

    /// Makes a value of its pieces.
    package init(_ parts: [Part]) { self.parts = parts }

    /// Why there is no value.
    package enum Missing: Error, Hashable {
        /// An input was not given: whoever needs it decides what that means.
        case input(String)
        /// A step's run had no such value.
        case reported(step: String, value: String)
    }

    /// The value: of one piece that is no text, with its type; a text otherwise.
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
        case .number(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        case .null, .array, .object: ""
        }
    }
}
