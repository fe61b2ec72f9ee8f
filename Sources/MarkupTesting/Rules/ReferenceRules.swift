import Foundation

/// Each id belongs to only one element.
struct UniqueIDs: MarkupRule {
    var name: String { "unique-ids" }

    init() {}

    /// The elements whose id is taken by an earlier one, is empty, or has spaces.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@id]").compactMap { element in
            let id = element["id"] ?? ""
            if id.isEmpty || id.contains(where: \.isWhitespace) {
                return element.problem("The id \"\(id)\" is empty or has spaces.", of: self)
            }
            guard let first = document.elementsByID[id], first.node != element.node else { return nil }
            return element.problem(
                "The id \"\(id)\" already belongs to <\(first.name)> on line \(first.line).", of: self)
        }
    }
}

/// Every reference to an element by its id names an existing element.
///
/// In a fragment, references to elements outside it cannot be checked: leave the rule out for such a fragment.
struct ReferencesResolve: MarkupRule {
    var name: String { "references-resolve" }

    init() {}

    private static let attributes = [
        "for", "form", "list", "headers", "popovertarget", "commandfor", "aria-activedescendant", "aria-controls",
        "aria-describedby", "aria-details", "aria-errormessage", "aria-flowto", "aria-labelledby", "aria-owns",
    ]

    /// The elements that refer to an id that no element has.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
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

/// Elements are not inside elements in which HTML forbids them at any depth, which a grammar cannot express.
struct Nesting: MarkupRule {
    var name: String { "nesting" }

    init() {}

    private static let interactive = """
        self::a[@href] or self::button or self::details or self::label or self::select or self::textarea \
        or self::input[not(@type='hidden')] or @tabindex
        """
    private static let landmarks = "self::header or self::footer or self::main"

    /// The forbidden combinations: an element, and a condition on its descendants.
    private static let forbidden = [
        (outer: "a", inner: interactive),
        (outer: "button", inner: interactive),
        (outer: "label", inner: "self::label"),
        (outer: "form", inner: "self::form"),
        (outer: "progress", inner: "self::progress"),
        (outer: "meter", inner: "self::meter"),
        (outer: "dfn", inner: "self::dfn"),
        (outer: "noscript", inner: "self::noscript or self::script"),
        (outer: "caption", inner: "self::table"),
        (outer: "header", inner: landmarks),
        (outer: "footer", inner: landmarks),
        (outer: "address", inner: "\(landmarks) or self::address or self::h1 or self::h2 or self::h3 or self::section"),
        (outer: "th", inner: "\(landmarks) or self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6"),
        (outer: "article", inner: "self::main"),
        (outer: "aside", inner: "self::main"),
        (outer: "nav", inner: "self::main"),
        (outer: "section", inner: "self::main"),
    ]

    /// The elements inside an element that forbids them.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try Self.forbidden.flatMap { outer, inner in
            try document.elements("//\(outer)//*[\(inner)]").map { element in
                element.problem("<\(element.name)> is not allowed inside <\(outer)>, at any depth.", of: self)
            }
        }
    }
}

/// Pages have no inline scripts and styles, so that they work under a strict Content-Security-Policy.
struct NoInlineCode: MarkupRule {
    var name: String { "no-inline-code" }

    init() {}

    private static let links: Set = ["href", "src", "action", "formaction", "cite", "content"]

    /// Scripts without `src`, style elements and attributes, event handlers, and URLs that are code.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
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
