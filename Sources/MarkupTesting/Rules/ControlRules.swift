/// Every form field has a label that is announced.
struct ControlsLabelled: MarkupRule {
    var name: String { "controls-labelled" }

    init() {}

    /// The inputs, selects and textareas without a label.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//input | //select | //textarea").filter { element in
            element.isField && element.accessibleName.isEmpty
        }.map { element in
            element.problem(
                "<\(element.name)> has no label. Put it in a <label>, or name it by <label for> or aria-label.",
                of: self)
        }
    }
}

/// Every button, link and summary has a name.
struct ControlsNamed: MarkupRule {
    var name: String { "controls-named" }

    init() {}

    private static let controls = """
        //button | //a[@href] | //summary | //input[@type='submit' or @type='reset' or @type='button'] \
        | //*[@role='button' or @role='link' or @role='tab' or @role='menuitem' or @role='switch']
        """

    /// The buttons, links and summaries without an accessible name.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements(Self.controls)
            .filter { $0.accessibleName.isEmpty && !$0.isHiddenFromAssistiveTechnology }
            .map { $0.problem("<\($0.name)> has no name. Give it text, or aria-label.", of: self) }
    }
}

/// Every progress bar and meter has an accessible name.
struct GaugesNamed: MarkupRule {
    var name: String { "gauges-named" }

    init() {}

    /// The progress bars and meters without an accessible name.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//progress | //meter | //*[@role='progressbar' or @role='meter']")
            .filter { $0.accessibleName.isEmpty && !$0.isHiddenFromAssistiveTechnology }
            .map {
                $0.problem("<\($0.name)> has no name for what it measures. Give it a label, or aria-label.", of: self)
            }
    }
}

/// Every picture has an alternative text, or is marked as decoration.
struct PicturesDescribed: MarkupRule {
    var name: String { "pictures-described" }

    init() {}

    /// The `img` without `alt`, and the `svg` with neither a name nor `aria-hidden`.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try images(in: document) + drawings(in: document)
    }

    private func images(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//img[not(@alt)]").map { element in
            element.problem("<img> has no alt. Describe the picture, or write alt=\"\" if it is decoration.", of: self)
        }
    }

    private func drawings(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//svg[not(ancestor::svg)] | //*[@role='img' and not(self::svg)]").filter { element in
            let isDecoration = element["role"] == "none" || element["role"] == "presentation"
            guard !isDecoration, !element.isHiddenFromAssistiveTechnology else { return false }
            return element["role"] != "img" || element.accessibleName.isEmpty
        }.map { element in
            let remedy = "Write role=\"img\" and aria-label, or aria-hidden=\"true\" if it is decoration"
            return element.problem("<\(element.name)> has no description. \(remedy).", of: self)
        }
    }
}

/// The tab key goes through the page in its order: no `tabindex` above 0.
struct NaturalTabOrder: MarkupRule {
    var name: String { "natural-tab-order" }

    init() {}

    /// The elements with a positive `tabindex`.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@tabindex > 0]").map { element in
            element.problem("tabindex above 0 breaks the order of the page. Use 0, or move the element.", of: self)
        }
    }
}
