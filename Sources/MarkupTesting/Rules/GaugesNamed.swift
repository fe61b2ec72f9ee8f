/// Every progress bar and meter has a name for what it measures.
package struct GaugesNamed: MarkupRule {
    /// `gauges-named`.
    package var name: String { "gauges-named" }

    /// Makes the rule.
    package init() {}

    /// The progress bars and meters without an accessible name.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//progress | //meter | //*[@role='progressbar' or @role='meter']")
            .filter { $0.accessibleName.isEmpty && !$0.isHiddenFromAssistiveTechnology }
            .map {
                $0.problem("<\($0.name)> has no name for what it measures. Give it a label, or aria-label.", of: self)
            }
    }
}
