extension Markup {
    /// Markup in the one form that all ways of writing the same page have, for comparing and for reading.
    ///
    /// Each element begins a line, indented by its depth; attributes are sorted; runs of white space are one space, and
    /// those between elements none, apart from `pre` and `textarea`; comments are left out.
    /// - Parameters:
    ///   - html: The markup.
    ///   - kind: Whether it is a whole page or a piece of one.
    /// - Returns: The canonical form, ending with a line break.
    /// - Throws: ``MarkupError`` if the markup is not well-formed.
    public static func canonical(_ html: String, as kind: MarkupKind) throws(MarkupError) -> String {
        CanonicalWriter().write(try MarkupDocument(html, as: kind))
    }
}
