extension Markup {
    /// The canonical form of markup, which is the same for all ways of writing a page, for comparing and for reading.
    ///
    /// Each element begins a line, indented by its depth; attributes are sorted; runs of white space become one space,
    /// and none between elements, except in `pre` and `textarea`; comments are removed.
    /// - Parameters:
    ///   - html: The markup.
    ///   - kind: Whether it is a whole page or a fragment.
    /// - Returns: The canonical form, ending with a line break.
    /// - Throws: ``MarkupError`` if the markup is not well-formed.
    public static func canonical(_ html: String, as kind: MarkupKind) throws(MarkupError) -> String {
        CanonicalWriter().write(try MarkupDocument(html, as: kind))
    }
}
