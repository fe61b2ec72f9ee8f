extension [any MarkupRule] {
    /// Every rule this library has.
    public static var all: [any MarkupRule] {
        [
            UniqueIDs(), ReferencesResolve(), AttributeValues(), Nesting(),
            ControlsLabelled(), ControlsNamed(), GaugesNamed(), PicturesDescribed(), TableHeaders(),
            NoInlineCode(), NaturalTabOrder(), SingleMain(), HeadingOrder(), PageLanguage(), PageTitle(),
        ]
    }

    /// The rules without those named, such as `.all.without(HeadingOrder.self)`.
    /// - Parameter unwanted: The types of the rules to leave out.
    /// - Returns: The other rules, in the same order.
    public func without(_ unwanted: any MarkupRule.Type...) -> [any MarkupRule] {
        let identifiers = Set(unwanted.map { ObjectIdentifier($0) })
        return filter { !identifiers.contains(ObjectIdentifier(type(of: $0))) }
    }
}
