/// Every picture has an alternative text, or is marked as decoration.
package struct PicturesDescribed: MarkupRule {
    /// `pictures-described`.
    package var name: String { "pictures-described" }

    /// Makes the rule.
    package init() {}

    /// The `img` without `alt`, and the `svg` with neither a name nor `aria-hidden`.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
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
