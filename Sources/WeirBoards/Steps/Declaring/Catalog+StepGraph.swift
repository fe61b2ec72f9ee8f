public import WeirOperations
public import WeirStates

extension Catalog {
    /// Adds an operation that consists of steps, and the operations that run only as its steps, as `id-name`.
    ///
    /// Add the operations that its steps use first.
    /// - Parameters:
    ///   - graph: The steps.
    ///   - id: The operation's id, made of `a-z`, `0-9` and single hyphens, at most 40 characters.
    ///   - title: The English title; the string `operation.<id>.title` overrides it in a locale.
    ///   - summary: A sentence that describes the operation; `operation.<id>.summary` overrides it.
    ///   - tags: Words of `a-z`, `0-9` and hyphens, at most 64 characters, that roles can refer to.
    ///   - reentry: The effect of a second start while a run is active.
    ///   - timeout: The time after which a run fails, or nil for no limit.
    ///   - schedule: When the server starts it automatically, or nil for never. The actor of such runs is `schedule`.
    ///   - scheduledInput: The input of the scheduled runs.
    /// - Throws: ``StepGraphMistakes``; the catalog has not changed then.
    public mutating func add<Input>(
        _ graph: StepGraph<Input>, id: String, title: String, summary: String, tags: Set<String> = [],
        reentry: ReentryPolicy = .concurrent, timeout: Duration? = nil, schedule: Schedule? = nil,
        scheduledInput: JSONValue = [:]
    ) throws(StepGraphMistakes) {
        var parts: [String: CatalogEntry] = [:]
        for step in graph.steps {
            guard case .own(let name, let entry) = step.work else { continue }
            parts[step.name] = entry(step.partID(in: id), name ?? step.name, tags, id)
        }
        let check = StepGraphCheck(graph, id: id, parts: parts, in: self)
        guard check.mistakes.isEmpty else { throw StepGraphMistakes(operation: id, mistakes: check.mistakes) }
        add(
            StepsOperation(graph.plan(of: id), fields: Input.fields), id: id, title: title, summary: summary,
            tags: tags, reentry: reentry, timeout: timeout,
            schedule: schedule.map { ScheduledStart($0, input: scheduledInput) }, partOf: nil)
        for step in graph.steps { if let part = parts[step.name] { add(part) } }
    }
}

/// The mistakes in a graph of steps that is added to a catalog.
public struct StepGraphMistakes: ExplainedError {
    let operation: String
    /// The mistakes, a sentence each.
    public let mistakes: [String]

    /// All mistakes, each on a line of its own.
    public var description: String {
        "The steps of the operation “\(operation)” have mistakes:\n"
            + mistakes.map { "- \($0)" }.joined(separator: "\n")
    }
}
