import WeirJournals
import WeirStates

/// A JSON Schema (draft 2020-12) of the API's description.
struct APISchema: Sendable {
    var value: [String: JSONValue]

    static let anything = APISchema(value: [:])
    static let text = APISchema(value: ["type": "string"])
    static let flag = APISchema(value: ["type": "boolean"])
    static let whole = APISchema(value: ["type": "integer", "format": "int64"])
    static let number = APISchema(value: ["type": "number", "format": "double"])
    static let time = APISchema(value: ["type": "string", "format": "date-time"])
    static let members = APISchema(value: ["type": "object"])

    static func whole(_ range: ClosedRange<Int>) -> APISchema {
        APISchema(value: [
            "type": "integer", "minimum": .integer(Int64(range.lowerBound)),
            "maximum": .integer(Int64(range.upperBound)),
        ])
    }

    static func whole(from least: Int64, to most: Int64 = SequenceNumber.max.rawValue) -> APISchema {
        APISchema(value: [
            "type": "integer", "format": "int64", "minimum": .integer(least),
            "maximum": .integer(most),
        ])
    }

    static func text(_ lengths: ClosedRange<Int>, pattern: String? = nil) -> APISchema {
        var value: [String: JSONValue] = [
            "type": "string", "minLength": .integer(Int64(lengths.lowerBound)),
            "maxLength": .integer(Int64(lengths.upperBound)),
        ]
        value["pattern"] = pattern.map(JSONValue.string)
        return APISchema(value: value)
    }

    static func text(pattern: String) -> APISchema {
        APISchema(value: ["type": "string", "pattern": .string(pattern)])
    }

    static func oneOf(_ values: [String]) -> APISchema {
        APISchema(value: ["type": "string", "enum": .array(values.map(JSONValue.string))])
    }

    static func list(_ element: APISchema) -> APISchema {
        APISchema(value: ["type": "array", "items": .object(element.value)])
    }

    static func ref(_ name: String) -> APISchema {
        APISchema(value: ["$ref": .string("#/components/schemas/" + name)])
    }

    /// Any of several schemas.
    static func any(_ schemas: APISchema...) -> APISchema {
        APISchema(value: ["anyOf": .array(schemas.map { .object($0.value) })])
    }

    /// All of several schemas.
    static func all(_ schemas: APISchema...) -> APISchema {
        APISchema(value: ["allOf": .array(schemas.map { .object($0.value) })])
    }

    /// An object that has all of `members`, and can have `optional` and further ones.
    static func object(
        _ members: KeyValuePairs<String, APISchema>, optional: KeyValuePairs<String, APISchema> = [:]
    ) -> APISchema {
        object(Array(members), optional: Array(optional))
    }

    static func object(
        _ members: [(key: String, value: APISchema)], optional: [(key: String, value: APISchema)] = []
    ) -> APISchema {
        let properties = (members + optional).map { ($0.key, JSONValue.object($0.value.value)) }
        var value: [String: JSONValue] = [
            "type": "object", "properties": .object(Dictionary(properties) { $1 }),
        ]
        if !members.isEmpty { value["required"] = .array(members.map { .string($0.key) }) }
        return APISchema(value: value)
    }

    /// The schema, or null.
    var orNull: APISchema {
        guard case .string(let type)? = value["type"], value["enum"] == nil else { return .any(self, .null) }
        var schema = self
        schema.value["type"] = [.string(type), "null"]
        return schema
    }

    private static let null = APISchema(value: ["type": "null"])

    func described(_ text: String) -> APISchema {
        var schema = self
        schema.value["description"] = .string(text)
        return schema
    }
}
