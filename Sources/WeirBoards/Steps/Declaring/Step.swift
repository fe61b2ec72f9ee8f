public import WeirOperations
public import WeirStates

/// A step that runs an operation, in a run of its own.
///
/// ```swift
/// let dump = Step("dump", Backup()).with(\.database, input.database).retry(2, after: .seconds(10))
/// Step("check", uses: "check-dump", as: CheckDump.self).with(\.file, dump.result.file).needs(dump)
/// ```
/// A name has 1 to 30 of `a-z`, `0-9` and single hyphens, and is also the state of the whole run during the step.
public struct Step<Work>: GraphStep {
    /// The declaration, which the modifiers change.
    public var declaration: StepDeclaration
}

extension Step where Work: StateOperation {
    /// Creates a step with an operation that runs only as this step; its title is the name unless one is given.
    public init(_ name: String, _ operation: Work, title: String? = nil) {
        declaration = StepDeclaration(
            name,
            .own(title: title) { id, title, tags, whole in
                CatalogEntry(
                    operation, id: id, title: title, summary: "", tags: tags, reentry: .concurrent,
                    lifetime: .onDemand, timeout: nil, ticks: .sampled, partOf: whole)
            })
    }

    /// Creates a step with an operation of the catalog, of a known type.
    public init(_ name: String, uses id: String, as type: Work.Type) {
        declaration = StepDeclaration(
            name, .other(id, type: "\(Work.self)") { $0.factory is OperationFactory<Work> })
    }

    /// Gives an input of the operation a value.
    public func with<Value: InputValue>(
        _ property: WritableKeyPath<Work.Input, Value>, _ value: StepArgument<Value.Unwrapped>
    ) -> Self where Work.Input: FormInput {
        with(InputField.name(of: property), value)
    }
}

extension Step where Work: SimpleOperation {
    /// The result at the end of the step's run: of a custom type, its properties; otherwise a text, a number or a list.
    public var result: StepArgument<Work.Result> {
        StepArgument(parts: [.reported(step: declaration.name, value: "result")])
    }
}

extension Step where Work == Never {
    /// Creates a step with an operation of the catalog.
    public init(_ name: String, uses id: String) {
        declaration = StepDeclaration(name, .other(id, type: nil) { _ in true })
    }
}

extension Step {
    /// Gives the operation's input of that name a value.
    public func with<Value>(_ input: String, _ value: StepArgument<Value>) -> Self {
        giving(input, value)
    }

    /// Gives the operation's input of that name a text.
    public func with(_ input: String, _ text: StepArgument<String>) -> Self { giving(input, text) }

    private func giving<Value>(_ input: String, _ value: StepArgument<Value>) -> Self {
        with {
            $0.note(value.problem)
            $0.input[input] = value.value
        }
    }

    /// A value of the step's run at its end: a member of its last state, `exit_code`, `outcome`, or `output`, which is the
    /// printed text.
    public func reported<Value>(_ name: String, as type: Value.Type = String.self) -> StepArgument<Value> {
        StepArgument(parts: [.reported(step: declaration.name, value: name)])
    }

    /// Runs the step again after a failure, each time as a new run.
    public func retry(_ limit: Int, after interval: Duration = .seconds(10)) -> Self {
        with { $0.retry = StepsPlan.Retry(limit: limit, interval: interval) }
    }

    /// Stops an attempt after that time; it fails.
    public func timeout(_ timeout: Duration) -> Self { with { $0.timeout = timeout } }

    /// Repeats the step if a restart of the server interrupts it; otherwise it counts as interrupted.
    public func repeatsIfInterrupted() -> Self { with { $0.isRepeatable = true } }

    /// Runs the step once for each item of a list, at most 1,000: a list, a text that is a JSON array, or the lines of a text.
    ///
    /// In the step, `StepArgument.item` is the item. `atOnce` is the maximum number of items at the same time, by default that
    /// of the graph.
    public func forEach<Value>(_ list: StepArgument<Value>, atOnce: Int? = nil) -> Self {
        with {
            $0.note(list.problem)
            $0.forEach = StepsPlan.ForEach(.value(list.value), atOnce: atOnce)
        }
    }

    /// Runs the step once for each of these items.
    public func forEach(_ items: [JSONValue], atOnce: Int? = nil) -> Self {
        with { $0.forEach = StepsPlan.ForEach(.fixed(items), atOnce: atOnce) }
    }

    /// Runs the step at intervals, each time as a new run, until a value of its run passes a test; fails after `limit` runs.
    public func repeats(
        every interval: Duration = .seconds(10), limit: Int, until value: String, _ test: StepTest<some Any>
    ) -> Self {
        with {
            $0.note(test.problem)
            let until = StepCondition(($0.repetition?.until.rules ?? []) + [.init(.own(value), test.test)])
            $0.repetition = StepsPlan.Repetition(interval: interval, until: until, limit: limit)
        }
    }
}

/// A step that asks a person for a decision.
///
/// Users with the right to act on the operation decide on the run's page; a refusal fails the step.
public struct Approval: GraphStep {
    /// The declaration, which the modifiers change.
    public var declaration: StepDeclaration

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - name: The step's name.
    ///   - prompt: The question, in which secrets are left out.
    ///   - who: The deciders, as `role:NAME`, `group:NAME` and `user:NAME`; empty for all who can act on the operation.
    ///   - within: The time after which the default applies; nil for no limit.
    ///   - approvesByItself: Whether the default is an approval instead of a refusal.
    public init(
        _ name: String, _ prompt: StepArgument<String>, who: [String] = [], within: Duration? = nil,
        approvesByItself: Bool = false
    ) {
        declaration = StepDeclaration(
            name,
            .approval(
                StepsPlan.Approval(
                    prompt: prompt.value, within: within, approvesByItself: approvesByItself, who: who)))
        declaration.note(prompt.problem)
    }
}
