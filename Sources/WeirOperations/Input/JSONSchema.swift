package import WeirStates

/// The JSON Schema (draft 2020-12) of an input.
///
/// A value that passes `InputField.validate` passes the schema. The reverse holds except for details of URLs and for empty text
/// in required fields.
package struct JSONSchema: Sendable, Hashable {
    package let value: JSONValue

    /// Creates the schema of an object with the given fields and no others.
    package init(for fields: [InputField]) {
        let required = fields.filter(\.alwaysNeedsValue)
            .map { JSONValue.string($0.name) }
        var schema: [String: JSONValue] = [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": .object(Dictionary(fields.map { ($0.name, Self.property($0)) }) { $1 }),
            "additionalProperties": false,
        ]
        if !required.isEmpty { schema["required"] = .array(required) }
        let conditional = fields.filter { $0.needsValue && !$0.conditions.isEmpty }
        if !conditional.isEmpty {
            schema["allOf"] = .array(conditional.map { Self.requirement(of: $0, among: fields) })
        }
        value = .object(schema)
    }

    /// Requires a field if the conditions under which it is shown are met.
    private static func requirement(of field: InputField, among fields: [InputField]) -> JSONValue {
        let conditions = field.conditions.compactMap { $0.schema(among: fields) }
        return [
            "if": ["allOf": .array(conditions)], "then": ["required": [.string(field.name)]],
        ]
    }

    private static func property(_ field: InputField) -> JSONValue {
        var property = constraints(field)
        property["title"] = .string(field.label)
        if let help = field.help { property["description"] = .string(help) }
        if let value = field.defaultValue { property["default"] = value }
        return .object(property)
    }

    private static func constraints(_ field: InputField) -> [String: JSONValue] {
        switch field.kind {
        case .choice(let values) where field.takesSeveral:
            var constraints: [String: JSONValue] = [
                "type": "array", "items": ["enum": .array(values.map(JSONValue.string))],
            ]
            if field.isRequired { constraints["minItems"] = 1 }
            return constraints
        case .text where field.format == .date: return ["type": "string", "format": "date"]
        case .text where field.format == .time:
            // The format `time` of JSON Schema demands an offset.
            return ["type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"]
        case .text(let limit, let pattern):
            var constraints: [String: JSONValue] = ["type": "string", "maxLength": .integer(Int64(limit))]
            if let pattern { constraints["pattern"] = .string("^(?:\(pattern))$") }
            return constraints
        case .multiline(let limit):
            return ["type": "string", "maxLength": .integer(Int64(limit))]
        case .url(let schemes):
            return [
                "type": "string", "format": "uri", "maxLength": 2_048,
                "pattern": .string("^(?:\(schemes.joined(separator: "|"))):"),
            ]
        case .integer(let range):
            var constraints: [String: JSONValue] = ["type": "integer"]
            if range.lowerBound != .min { constraints["minimum"] = .integer(range.lowerBound) }
            if range.upperBound != .max { constraints["maximum"] = .integer(range.upperBound) }
            return constraints
        case .number(let range):
            var constraints: [String: JSONValue] = ["type": "number"]
            let bounds = field.bounds(range)
            if let least = bounds.least { constraints["minimum"] = .number(least) }
            if let most = bounds.most { constraints["maximum"] = .number(most) }
            return constraints
        case .boolean:
            return ["type": "boolean"]
        case .choice(let values):
            return ["enum": .array(values.map(JSONValue.string))]
        case .secret(let limit):
            return ["type": "string", "maxLength": .integer(Int64(limit)), "format": "password", "writeOnly": true]
        case .file:
            return file
        }
    }

    private static var file: [String: JSONValue] {
        [
            "type": "object",
            "properties": [
                "id": ["type": "string", "pattern": "^[A-Za-z0-9-]{1,64}$"],
                "filename": ["type": "string", "minLength": 1],
                "length": ["type": "integer", "minimum": 0],
                "contentType": ["type": "string", "maxLength": 255],
            ],
            "required": ["id", "filename"],
            "additionalProperties": false,
        ]
    }
}
