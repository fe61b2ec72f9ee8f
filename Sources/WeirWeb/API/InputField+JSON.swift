import WeirOperations
import WeirStates

extension InputField {
    /// The field as the API tells it: enough to draw a form.
    ///
    /// The exact bounds stand in the schema.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "label": .string(label), "kind": .string(kindName), "required": .bool(isRequired),
        ]
        members["default"] = defaultValue
        members["help"] = help.map(JSONValue.string)
        members["unit"] = unit.map(JSONValue.string)
        if case .choice(let values) = kind { members["values"] = .array(values.map(JSONValue.string)) }
        if !groups.isEmpty { members["groups"] = .array(groups.map(\.json)) }
        return .object(members)
    }

    private var kindName: String {
        switch kind {
        case .text: "text"
        case .multiline: "multiline"
        case .url: "url"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .choice: "choice"
        case .secret: "secret"
        case .file: "file"
        }
    }
}

extension ChoiceGroup {
    fileprivate var json: JSONValue {
        let beside = Dictionary(conditions.map { ($0.field, JSONValue.string($0.value)) }) { first, _ in first }
        return ["beside": .object(beside), "values": .array(values.map(JSONValue.string))]
    }
}
