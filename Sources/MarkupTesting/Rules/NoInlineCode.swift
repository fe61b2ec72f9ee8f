/// Pages have no inline scripts and styles, so that they work under a strict Content-Security-Policy.
package struct NoInlineCode: MarkupRule {
    /// `no-inline-code`.
    package var name: String { "no-inline-code" }

    /// Makes the rule.
    package init() {}

    private static let links: Set = ["href", "src", "action", "formaction", "cite", "content"]

    /// Scripts without `src`, style elements and attributes, event handlers, and URLs that are code.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try elements(in: document) + attributes(in: document)
    }

    private func elements(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//script[not(@src) or normalize-space()] | //style").map { element in
            element.problem("<\(element.name)> in the page is not allowed. Put it in a file of its own.", of: self)
        }
    }

    private func attributes(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@*]").flatMap { element in
            element.attributeNames.compactMap { attribute in
                complaint(about: attribute, value: element[attribute] ?? "").map { element.problem($0, of: self) }
            }
        }
    }

    private func complaint(about attribute: String, value: String) -> String? {
        let attribute = attribute.lowercased()
        if attribute == "style" {
            return "A style attribute is not allowed. Use a class, or an attribute such as value or width."
        }
        if attribute.hasPrefix("on") {
            return "The handler \(attribute) is not allowed. Listen in a script file."
        }
        guard Self.links.contains(attribute), isCode(value) else { return nil }
        return "\(attribute) contains code. Link to an address."
    }

    /// Browsers ignore white space and control characters when they look for the scheme.
    private func isCode(_ url: String) -> Bool {
        let seen = String(String.UnicodeScalarView(url.unicodeScalars.filter { $0.value > 0x20 })).lowercased()
        return ["javascript:", "vbscript:", "data:text/html"].contains {
            seen.hasPrefix($0) || seen.contains("url=\($0)")
        }
    }
}
