/// Every form field has a label that is announced.
package struct ControlsLabelled: MarkupRule {
    /// `controls-labelled`.
    package var name: String { "controls-labelled" }

    /// Makes the rule.
    package init() {}

    /// The inputs, selects and textareas without a label.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//input | //select | //textarea").filter { element in
            element.isField && element.accessibleName.isEmpty
        }.map { element in
            element.problem(
                "<\(element.name)> has no label. Put it in a <label>, or name it by <label for> or aria-label.",
                of: self)
        }
    }
}
