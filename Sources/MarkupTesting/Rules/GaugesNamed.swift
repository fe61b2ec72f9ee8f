/// Every progress bar and meter says what it measures.
public struct GaugesNamed: MarkupRule {
    /// `gauges-named`.
    public var name: String { "gauges-named" }

    /// Makes the rule.
    public init() {}

    /// The progress bars and meters without an accessible name.
    public func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//progress | //meter | //*[@role='progressbar' or @role='meter']")
            .filter { $0.accessibleName.isEmpty && !$0.isHiddenFromAssistiveTechnology }
            .map { $0.problem("<\($0.name)> does not say what it measures. Give it a label, or aria-label.", of: self) }
    }
}
