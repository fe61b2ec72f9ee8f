public import WeirOperations

/// An operation that consists of steps, in sequence or as a graph.
///
/// ```swift
/// let release = StepGraph(Release.self) { input in
///     let build = Step("build", Build()).with(\.version, input.version)
///     build
///     Step("test", Check()).with(\.file, build.result.file).needs(build)
///     Step("clean-up", CleanUp()).with(\.outcome, .outcome).finally()
/// }
/// try catalog.add(release, id: "release", title: "Release", summary: "Builds and tests a version.")
/// ```
/// Each step is a run of its own, and the whole continues with the next step after a restart of the server.
public struct StepGraph<Input: FormInput>: Sendable {
    let steps: [StepDeclaration]
    let atOnce: Int
    let stopsAfterFailure: Bool

    /// Creates a graph.
    ///
    /// - Parameters:
    ///   - input: The input of the whole run.
    ///   - atOnce: The maximum number of steps that run at the same time, 1 to 100; approvals do not count.
    ///   - stopsAfterFailure: Whether no further step begins after a failure, except those with `whenFailed` or `finally`.
    ///   - steps: The steps in order. Each must be an expression of its own: one that is only assigned is no step.
    public init(
        _ input: Input.Type = Input.self, atOnce: Int = 4, stopsAfterFailure: Bool = false,
        @StepGraphBuilder steps: (StepInputs<Input>) -> [any GraphStep]
    ) {
        self.init(input, atOnce: atOnce, stopsAfterFailure: stopsAfterFailure, steps: steps(StepInputs()))
    }

    /// Creates a graph without an input.
    public init(
        atOnce: Int = 4, stopsAfterFailure: Bool = false, @StepGraphBuilder steps: () -> [any GraphStep]
    ) where Input == NoInput {
        self.init(NoInput.self, atOnce: atOnce, stopsAfterFailure: stopsAfterFailure, steps: steps())
    }

    /// Creates a graph from a list of steps.
    public init(
        _ input: Input.Type = Input.self, atOnce: Int = 4, stopsAfterFailure: Bool = false, steps: [any GraphStep]
    ) {
        self.steps = steps.map(\.declaration)
        self.atOnce = atOnce
        self.stopsAfterFailure = stopsAfterFailure
    }

    func plan(of id: String) -> StepsPlan {
        StepsPlan(steps.map { $0.step(of: id) }, atOnce: atOnce, stopsAfterFailure: stopsAfterFailure)
    }
}

/// The inputs of a run of steps, by the properties of its input.
@dynamicMemberLookup
public struct StepInputs<Input: FormInput>: Sendable {
    /// An input of the run; absent if it is optional and not given.
    public subscript<Value: InputValue>(dynamicMember property: WritableKeyPath<Input, Value>)
        -> StepArgument<Value.Unwrapped>
    {
        let name = InputField.name(of: property)
        return StepArgument(
            parts: [.input(name)],
            problem: name.isEmpty ? "A property of \(Input.self) is not encoded as one member." : nil)
    }
}

/// Collects the steps of a ``StepGraph``.
@resultBuilder
public enum StepGraphBuilder {
    /// A step.
    public static func buildExpression(_ step: any GraphStep) -> [any GraphStep] { [step] }

    /// Steps that follow each other.
    public static func buildBlock(_ steps: [any GraphStep]...) -> [any GraphStep] { steps.flatMap { $0 } }

    /// The steps of an `if`.
    public static func buildOptional(_ steps: [any GraphStep]?) -> [any GraphStep] { steps ?? [] }

    /// The steps of the first branch.
    public static func buildEither(first steps: [any GraphStep]) -> [any GraphStep] { steps }

    /// The steps of the second branch.
    public static func buildEither(second steps: [any GraphStep]) -> [any GraphStep] { steps }

    /// The steps of a loop.
    public static func buildArray(_ steps: [[any GraphStep]]) -> [any GraphStep] { steps.flatMap { $0 } }
}
