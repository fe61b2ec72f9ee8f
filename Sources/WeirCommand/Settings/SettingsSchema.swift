import WeirAccess
import WeirFiles
import WeirStates

/// The JSON Schema (draft 2020-12) of the settings file, from the table `Setting.all`, for editors.
enum SettingsSchema {
    static var value: JSONValue {
        var root = Level()
        for setting in Setting.all { root.add(setting, at: setting.key.split(separator: ".").map(String.init)) }
        var schema = root.schema
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        schema["title"] = "Settings of Weir"
        guard case .object(var properties)? = schema["properties"] else { return .object(schema) }
        // A setting below another one can stand beside it by its whole name, such as `journal.durability`.
        for setting in Setting.all {
            let parts = setting.key.split(separator: ".")
            guard parts.count > 1, Setting.named(parts.dropLast().joined(separator: ".")) != nil else { continue }
            properties[setting.key] = setting.schema
        }
        properties["roles"] = roles
        properties["grants"] = grants
        properties["notify"] = StandardNotifications.schema
        schema["properties"] = .object(properties)
        return .object(schema)
    }

    /// The settings below a key; a key can have a value and settings below it, such as `journal`.
    private struct Level {
        private var values: [String: Setting] = [:]
        private var levels: [String: Level] = [:]

        mutating func add(_ setting: Setting, at path: [String]) {
            guard let name = path.first else { return }
            if path.count == 1 {
                values[name] = setting
            } else {
                levels[name, default: Level()].add(setting, at: Array(path.dropFirst()))
            }
        }

        var schema: [String: JSONValue] {
            var properties: [String: JSONValue] = [:]
            for name in Set(values.keys).union(levels.keys) {
                let below = levels[name].map { JSONValue.object($0.schema) }
                switch (values[name]?.schema, below) {
                case (let value?, let below?): properties[name] = ["anyOf": [value, below]]
                case (let value?, nil): properties[name] = value
                case (nil, let below): properties[name] = below
                }
            }
            return ["type": "object", "properties": .object(properties), "additionalProperties": false]
        }
    }

    private static let names: JSONValue = [
        "anyOf": [["type": "string"], ["type": "array", "items": ["type": "string"], "minItems": 1]]
    ]

    private static let selection: [String: JSONValue] = ["operations": names, "stores": names, "tags": names]

    private static var roles: JSONValue {
        let verbs = JSONValue.array(Verb.allCases.map { .string($0.rawValue) })
        let word: JSONValue = ["enum": verbs]
        let properties = selection.merging([
            "verbs": ["anyOf": [word, ["type": "array", "items": word, "minItems": 1]]]
        ]) { first, _ in first }
        return [
            "type": "object", "description": "Roles in addition to the built-in ones, by name.",
            "propertyNames": ["pattern": "^[a-z0-9-]{1,64}$"],
            "additionalProperties": [
                "type": "object", "properties": .object(properties), "required": ["verbs"],
                "additionalProperties": false,
            ],
        ]
    }

    private static var grants: JSONValue {
        let grantee: JSONValue = ["type": "string", "pattern": "^(everyone|signed-in|user:.+|group:.+)$"]
        let properties = selection.merging([
            "role": ["type": "string"],
            "to": ["anyOf": [grantee, ["type": "array", "items": grantee, "minItems": 1]]],
        ]) { first, _ in first }
        return [
            "type": "array", "description": "The roles of users and groups.",
            "items": [
                "type": "object", "properties": .object(properties), "required": ["role", "to"],
                "additionalProperties": false,
            ],
        ]
    }
}

extension Setting {
    fileprivate var schema: JSONValue {
        var schema = kind.schema
        schema["description"] = .string(help)
        schema["default"] = standard.map { kind.value(of: $0) }
        return .object(schema)
    }
}

extension Setting.Kind {
    fileprivate var schema: [String: JSONValue] {
        switch self {
        case .word(let words): ["enum": .array(words.flatMap(Self.values))]
        case .integer(let bounds):
            [
                "type": "integer", "minimum": .integer(Int64(bounds.lowerBound)),
                "maximum": .integer(Int64(bounds.upperBound)),
            ]
        case .seconds(let bounds):
            ["type": "number", "minimum": .number(bounds.lowerBound), "maximum": .number(bounds.upperBound)]
        case .bytes, .mask: ["type": ["string", "integer"]]
        case .url: ["type": "string", "pattern": "^https?://"]
        case .list, .destinations, .networks, .origins:
            ["anyOf": [["type": "string"], ["type": "array", "items": ["type": ["string", "integer"]]]]]
        case .listen: ["type": "string", "pattern": ":[0-9]+$"]
        case .mailAddress: ["type": "string", "pattern": "@"]
        case .text, .cron, .zone, .path, .journal: ["type": ["string", "integer"]]
        }
    }

    /// A word as YAML can be read: `yes` and `no` are Booleans for some parsers.
    private static func values(_ word: String) -> [JSONValue] {
        switch word {
        case "yes": [.string(word), true]
        case "no": [.string(word), false]
        default: [.string(word)]
        }
    }

    fileprivate func value(of text: String) -> JSONValue {
        switch self {
        case .integer: Int64(text).map(JSONValue.integer) ?? .string(text)
        case .seconds: Double(text).map(JSONValue.number) ?? .string(text)
        default: .string(text)
        }
    }
}
