/// Global attributes, and boolean attributes, have allowed values.
package struct AttributeValues: MarkupRule {
    /// `attribute-values`.
    package var name: String { "attribute-values" }

    /// Makes the rule.
    package init() {}

    /// The elements with a value that its attribute does not allow.
    package func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[@*]").flatMap { element in
            element.attributeNames.compactMap { attribute in
                guard let kind = AttributeKind.of(attribute), let value = element[attribute],
                    !kind.allows(value, of: attribute)
                else { return nil }
                return element.problem(
                    "\(attribute)=\"\(value.prefix(60))\" is not an allowed value: \(kind.expectation(of: attribute)).",
                    of: self)
            }
        }
    }
}
