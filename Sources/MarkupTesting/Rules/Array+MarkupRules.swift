extension [any MarkupRule] {
    /// Every built-in rule.
    public static var all: [any MarkupRule] {
        [
            UniqueIDs(), ReferencesResolve(), AttributeValues(), Nesting(),
            ControlsLabelled(), ControlsNamed(), GaugesNamed(), PicturesDescribed(), TableHeaders(),
            NoInlineCode(), NaturalTabOrder(), SingleMain(), HeadingOrder(), PageLanguage(), PageTitle(),
        ]
    }

    /// The rules without the given ones, such as `.all.without("heading-order")`.
    /// - Parameter unwanted: The names of the rules to leave out.
    /// - Returns: The other rules, in the same order.
    public func without(_ unwanted: String...) -> [any MarkupRule] {
        filter { !unwanted.contains($0.name) }
    }
}
