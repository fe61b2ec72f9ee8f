/// Every button, link and summary has a name.
package struct ControlsNamed: MarkupRule {
    /// `controls-named`.
    package var name: String { "controls-named" }

    /// Makes the rule.
    package init() {}

    private static let controls = """
        //button | //a[@href] | //summary | //input[@type='submit' or @type='reset' or @type='button'] \
        | //*[@role='button' or @role='link' or @role='tab' or @role='menuitem' or @role='switch']
        """

    /// The buttons, links and summaries without an accessible name.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements(Self.controls)
            .filter { $0.accessibleName.isEmpty && !$0.isHiddenFromAssistiveTechnology }
            .map { $0.problem("<\($0.name)> has no name. Give it text, or aria-label.", of: self) }
    }
}
