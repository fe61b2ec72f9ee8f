import WeirStates

/// The type of a value in an operation's file, from which both the checks and the JSON Schema are derived.
indirect enum Shape: Sendable {
    /// A text with a maximum number of characters.
    case text(limit: Int)
    /// A name: letters, digits, hyphens and underscores, beginning with a letter.
    case name(limit: Int)
    case choice([String])
    case integer(ClosedRange<Int64>)
    case number
    /// `true` or `false`.
    case flag
    /// A duration such as `90s`, `5m` or `1h30m`, up to a maximum.
    case duration(most: Duration)
    /// A number of bytes, such as `512 MB`.
    case bytes
    /// A `umask` of three octal digits, such as `022`.
    case mask
    case scalar
    case any
    /// A text, or one per language.
    case words(limit: Int)
    case list(of: Shape, limit: Int)
    /// A mapping from names to values, with a maximum number of members.
    case dictionary(of: Shape, limit: Int)
    case object([Key])
    /// The second shape if the value is a mapping or a list as that shape is, otherwise the first.
    case either(Shape, Shape)
    /// An unsupported value, with the sentence that says so.
    case refused(String)

    struct Key: Sendable {
        let name: String
        let shape: Shape
        var isRequired = false
        /// The description, in one sentence, which editors show.
        let help: String

        init(_ name: String, _ shape: Shape, required: Bool = false, _ help: String) {
            self.name = name
            self.shape = shape
            isRequired = required
            self.help = help
        }
    }
}

extension Shape {
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
