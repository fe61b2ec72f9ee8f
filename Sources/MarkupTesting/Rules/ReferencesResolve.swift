import Foundation

/// Every reference to an element by its id names an existing element.
///
/// In a fragment, references to elements outside it cannot be checked: leave the rule out for such a fragment.
package struct ReferencesResolve: MarkupRule {
    /// `references-resolve`.
    package var name: String { "references-resolve" }

    /// Makes the rule.
    package init() {}

    private static let attributes = [
        "for", "form", "list", "headers", "popovertarget", "commandfor", "aria-activedescendant", "aria-controls",
        "aria-describedby", "aria-details", "aria-errormessage", "aria-flowto", "aria-labelledby", "aria-owns",
    ]

    /// The elements that refer to an id that no element has.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@*]").flatMap { element in
            (named(by: element) + linked(by: element)).compactMap { attribute, id in
                guard document.elementsByID[id] == nil else { return nil }
                return element.problem(
                    "\(attribute) of <\(element.name)> names \"\(id)\", but nothing has that id.", of: self)
            }
        }
    }

    private func named(by element: MarkupElement) -> [(attribute: String, id: String)] {
        Self.attributes.flatMap { attribute in element.references(attribute).map { (attribute, $0) } }
    }

    /// `#` alone, and `#top`, are the top of the page, and need no element.
    private func linked(by element: MarkupElement) -> [(attribute: String, id: String)] {
        guard let href = element["href"], href.hasPrefix("#"), !["#", "#top"].contains(href.lowercased()) else {
            return []
        }
        let id = String(href.dropFirst())
        return [("href", id.removingPercentEncoding ?? id)]
    }
}
