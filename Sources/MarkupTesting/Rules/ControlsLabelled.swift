/// Every field of a form has a label that is read out.
public struct ControlsLabelled: MarkupRule {
    /// `controls-labelled`.
    public var name: String { "controls-labelled" }

    /// Makes the rule.
    public init() {}

    /// The inputs, selects and textareas without a label.
    public func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//input | //select | //textarea").filter { element in
            element.isField && element.accessibleName.isEmpty
        }.map { element in
            element.problem(
                "<\(element.name)> has no label. Put it in a <label>, or name it by <label for> or aria-label.",
                of: self)
        }
    }
}
