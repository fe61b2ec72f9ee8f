package import WeirStates

/// A condition on the value of an earlier field, without which a field is not shown and has no value.
package struct InputCondition: Sendable, Hashable, Codable {
    /// The name of a choice or a boolean field.
    package let field: String
    package let tests: [StepCondition.Test]

    package init(_ field: String, _ tests: [StepCondition.Test]) {
        self.field = field
        self.tests = tests
    }

    package func holds(for value: JSONValue?) -> Bool { tests.allSatisfy { $0.holds(for: value) } }
}

extension InputField {
    /// Whether a run needs a value of the field wherever the field is shown, because there is no default.
    package var needsValue: Bool { isRequired && defaultValue == nil }

    /// Whether a run needs a value of the field, whatever the others are.
    package var alwaysNeedsValue: Bool { needsValue && conditions.isEmpty }

    /// Whether the field is shown beside the valid values of the fields before it.
    func isShown(beside values: [String: JSONValue]) -> Bool {
        conditions.allSatisfy { $0.holds(for: values[$0.field]) }
    }

    /// Whether a run of an operation with these fields cannot start without a value that somebody gives.
    package static func needValues(_ fields: [InputField]) -> Bool {
        let defaults = Dictionary(fields.compactMap { field in field.defaultValue.map { (field.name, $0) } }) { $1 }
        return fields.contains { $0.needsValue && $0.isShown(beside: defaults) }
    }
}

extension InputCondition {
    /// The JSON Schema of inputs that meet the condition, or nil if its field is not among these.
    func schema(among fields: [InputField]) -> JSONValue? {
        guard let field = fields.first(where: { $0.name == self.field }) else { return nil }
        let values: [JSONValue]
        switch field.kind {
        case .choice(let options): values = options.map(JSONValue.string)
        case .boolean: values = [false, true]
        default: return nil
        }
        let isMetIfAbsent = holds(for: field.defaultValue)
        let value: JSONValue
        if field.takesSeveral {
            value = .object(["allOf": .array(tests.map { Self.list($0, of: values) })])
        } else {
            value = ["enum": .array(values.filter { holds(for: $0) })]
        }
        var schema: [String: JSONValue] = ["properties": [field.name: value]]
        if !isMetIfAbsent { schema["required"] = [.string(field.name)] }
        return .object(schema)
    }

    /// The JSON Schema of lists that pass a test.
    private static func list(_ test: StepCondition.Test, of values: [JSONValue]) -> JSONValue {
        if case .not(let test) = test { return ["not": list(test, of: values)] }
        let contains: JSONValue = ["contains": ["enum": .array(values.filter { test.holds(for: $0) })]]
        return test.holds(for: []) ? ["anyOf": [["maxItems": 0], contains]] : contains
    }
}
