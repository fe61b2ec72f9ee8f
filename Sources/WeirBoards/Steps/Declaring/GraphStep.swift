public import WeirOperations

/// A step of a ``StepGraph``: a ``Step`` or an ``Approval``.
public protocol GraphStep: Sendable {
    /// The declaration, which the modifiers change.
    var declaration: StepDeclaration { get set }
}

extension GraphStep {
    /// Begins the step when these steps have succeeded.
    ///
    /// As soon as one step of a graph has needs, a step without any begins at once; otherwise each follows the one before it.
    public func needs(_ steps: any GraphStep...) -> Self { needs(names: steps.map(\.declaration.name)) }

    /// Begins the step when the steps with these names have succeeded.
    public func needs(names: [String]) -> Self { with { $0.needs = ($0.needs ?? []) + names } }

    /// Runs the step only if one of these steps failed; the whole run fails in any case.
    public func whenFailed(_ steps: any GraphStep...) -> Self {
        with { $0.afterFailureOf += steps.map(\.declaration.name) }
    }

    /// Skips the step unless a value passes a test; of several conditions, all must be met.
    ///
    /// The value is an input, a value of an earlier step, or `StepArgument.outcome`.
    public func when<Value>(_ argument: StepArgument<Value>, _ test: StepTest<Value>) -> Self {
        with { declaration in
            declaration.note(argument.problem ?? test.problem)
            let source: StepCondition.Source? =
                switch argument.value.parts.first {
                case .input(let name): .input(name)
                case .reported(let step, let value): .step(step, value: value)
                case .special(.outcome): .outcome
                case .special, .text, nil: nil
                }
            guard let source, argument.value.parts.count == 1 else {
                let words = "A condition is about an input, a value of another step, or the outcome, and nothing else."
                return declaration.note(argument.problem ?? words)
            }
            declaration.rules.append(StepCondition.Rule(source, test.test))
        }
    }

    /// Counts a failure of the step as a success.
    public func allowsFailure() -> Self { with { $0.allowsFailure = true } }

    /// Runs the step after all others, with any outcome, also after a cancellation.
    public func finally() -> Self { with { $0.isFinally = true } }

    func with(_ change: (inout StepDeclaration) -> Void) -> Self {
        var step = self
        change(&step.declaration)
        return step
    }
}

/// The name, the work and the conditions of a step.
public struct StepDeclaration: Sendable {
    enum Work: Sendable {
        /// An operation that runs only as this step.
        case own(title: String?, Entry)
        /// An operation of the catalog, with a test of its type.
        case other(String, type: String?, isOfType: @Sendable (CatalogEntry) -> Bool)
        case approval(StepsPlan.Approval)
    }

    /// Makes the entry of an operation from its id, title, tags, and the operation that it is a part of.
    typealias Entry = @Sendable (_ id: String, _ title: String, _ tags: Set<String>, _ whole: String) -> CatalogEntry

    let name: String
    let work: Work
    var input: [String: StepValue] = [:]
    var retry: StepsPlan.Retry?
    var timeout: Duration?
    var afterFailureOf: [String] = []
    var isRepeatable = false
    var needs: [String]?
    var allowsFailure = false
    var isFinally = false
    var rules: [StepCondition.Rule] = []
    var forEach: StepsPlan.ForEach?
    var repetition: StepsPlan.Repetition?
    /// Mistakes that are known before the graph is.
    private(set) var problems: [String] = []

    init(_ name: String, _ work: Work) {
        self.name = name
        self.work = work
    }

    mutating func note(_ problem: String?) {
        if let problem, !problems.contains(problem) { problems.append(problem) }
    }

    /// The step in the plan of an operation.
    func step(of whole: String) -> StepsPlan.Step {
        let planned: StepsPlan.Work =
            switch work {
            case .own: .run(operation: partID(in: whole), input: input)
            case .other(let id, _, _): .run(operation: id, input: input)
            case .approval(let approval): .approval(approval)
            }
        var title: String?
        if case .own(let given, _) = work { title = given }
        return StepsPlan.Step(
            name, planned, title: title, retry: retry, timeout: timeout, afterFailureOf: Set(afterFailureOf),
            isRepeatable: isRepeatable, needs: needs, allowsFailure: allowsFailure, isFinally: isFinally,
            condition: rules.isEmpty ? nil : StepCondition(rules), forEach: forEach, repetition: repetition)
    }

    /// The id of the step's own operation.
    func partID(in whole: String) -> String { "\(whole)-\(name)" }
}
