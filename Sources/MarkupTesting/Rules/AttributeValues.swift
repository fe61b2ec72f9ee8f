/// The attributes that any element may have, and those that are true by being there, have values they can have.
public struct AttributeValues: MarkupRule {
    /// `attribute-values`.
    public var name: String { "attribute-values" }

    /// Makes the rule.
    public init() {}

    /// The elements with a value that its attribute does not take.
    public func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@*]").flatMap { element in
            element.attributeNames.compactMap { attribute in
                guard let kind = AttributeKind.of(attribute), let value = element[attribute],
                    !kind.allows(value, of: attribute)
                else { return nil }
                return element.problem(
                    "\(attribute)=\"\(value.prefix(60))\" is not a value it takes: \(kind.expectation(of: attribute)).",
                    of: self)
            }
        }
    }
}
