import WeirStates

extension Shape {
    /// The shape in the words of JSON Schema (draft 2020-12).
    var schema: [String: JSONValue] {
        switch self {
        case .text(let limit): ["type": ["string", "number", "boolean"], "maxLength": .integer(Int64(limit))]
        case .name(let limit):
            ["type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]*$", "maxLength": .integer(Int64(limit))]
        case .choice(let words): ["enum": .array(words.map(JSONValue.string))]
        case .integer(let range):
            ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
        case .number: ["type": "number"]
        case .flag: ["type": "boolean"]
        case .duration: ["type": "string", "pattern": "^([0-9]+(ms|s|m|h|d))+$"]
        case .bytes, .mask: ["type": ["string", "integer"]]
        case .scalar: ["type": ["string", "number", "boolean"]]
        case .words(let limit):
            [
                "anyOf": [
                    .object(Shape.text(limit: limit).schema),
                    [
                        "type": "object", "propertyNames": ["pattern": "^[a-z]{2,3}(-[A-Z]{2})?$"],
                        "additionalProperties": .object(Shape.text(limit: limit).schema),
                    ],
                ]
            ]
        case .list(let element, let limit):
            ["type": "array", "items": .object(element.schema), "maxItems": .integer(Int64(limit))]
        case .dictionary(let element, let limit):
            [
                "type": "object", "additionalProperties": .object(element.schema),
                "maxProperties": .integer(Int64(limit)),
            ]
        case .object(let keys): Self.object(keys)
        case .either(let first, let second): ["anyOf": [.object(first.schema), .object(second.schema)]]
        case .any: [:]
        case .refused(let sentence): ["not": [:], "description": .string(sentence)]
        }
    }

    private static func object(_ keys: [Key]) -> [String: JSONValue] {
        let properties = keys.map { key in
            (key.name, JSONValue.object(key.shape.schema.merging(["description": .string(key.help)]) { old, _ in old }))
        }
        var schema: [String: JSONValue] = [
            "type": "object", "properties": .object(Dictionary(properties) { $1 }), "additionalProperties": false,
        ]
        let required = keys.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { schema["required"] = .array(required) }
        return schema
    }
}
