/// Elements are not inside elements in which HTML forbids them at any depth, which a grammar cannot express.
package struct Nesting: MarkupRule {
    /// `nesting`.
    package var name: String { "nesting" }

    /// Makes the rule.
    package init() {}

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
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try Self.forbidden.flatMap { outer, inner in
            try document.elements("//\(outer)//*[\(inner)]").map { element in
                element.problem("<\(element.name)> is not allowed inside <\(outer)>, at any depth.", of: self)
            }
        }
    }
}
