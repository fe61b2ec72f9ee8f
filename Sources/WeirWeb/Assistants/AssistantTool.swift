import WeirStates

/// A tool of an assistant: its name, its description for a model, and the schema of its arguments.
struct AssistantTool: Sendable {
    struct Argument: Sendable {
        enum Kind: Sendable {
            case text
            case flag
            case members
            case whole(ClosedRange<Int64>)
            case oneOf([String])
        }

        let name: String
        let kind: Kind
        let text: String
        let isRequired: Bool

        init(_ name: String, _ kind: Kind, _ text: String, required: Bool = false) {
            (self.name, self.kind, self.text, isRequired) = (name, kind, text, required)
        }
    }

    /// Arguments that are valid for their tool.
    struct Arguments: Sendable {
        let members: [String: JSONValue]

        func text(_ name: String) -> String? { members[name]?.string }
        func whole(_ name: String) -> Int64? { members[name]?.integer }
        func flag(_ name: String) -> Bool { members[name]?.bool ?? false }
    }

    typealias Work =
        @Sendable (AssistantTools, Arguments) async throws(AssistantTools.Failure) -> JSONValue

    let name: String
    let title: String
    let text: String
    var changes = false
    let arguments: [Argument]
    let work: Work

    var json: JSONValue {
        let properties = arguments.map { ($0.name, $0.schema) }
        return [
            "name": .string(name), "title": .string(title), "description": .string(text),
            "inputSchema": [
                "type": "object", "properties": .object(Dictionary(properties) { $1 }),
                "required": .array(arguments.filter(\.isRequired).map { .string($0.name) }),
                "additionalProperties": false,
            ],
            "annotations": [
                "readOnlyHint": .bool(!changes), "destructiveHint": .bool(changes), "openWorldHint": .bool(changes),
            ],
        ]
    }

    /// What is wrong with arguments, in a sentence; nil for valid ones.
    func mistake(in members: [String: JSONValue]) -> String? {
        if let missing = arguments.first(where: { $0.isRequired && members[$0.name] == nil }) {
            return "The argument “\(missing.name)” is missing: \(missing.text)"
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let argument = arguments.first(where: { $0.name == name }) else {
                let names = arguments.map(\.name).joined(separator: ", ")
                return "“\(name.prefix(64))” is not an argument of \(self.name). Its arguments are \(names)."
            }
            if let wanted = argument.mistake(value) { return "The argument “\(name)” must be \(wanted)." }
        }
        return nil
    }
}

extension AssistantTool.Argument {
    private static let textLimit = 2_000

    fileprivate var schema: JSONValue {
        var members: [String: JSONValue] = ["description": .string(text)]
        switch kind {
        case .text: (members["type"], members["maxLength"]) = ("string", .integer(Int64(Self.textLimit)))
        case .flag: members["type"] = "boolean"
        case .members: members["type"] = "object"
        case .whole(let range):
            members["type"] = "integer"
            (members["minimum"], members["maximum"]) = (.integer(range.lowerBound), .integer(range.upperBound))
        case .oneOf(let values):
            (members["type"], members["enum"]) = ("string", .array(values.map(JSONValue.string)))
        }
        return .object(members)
    }

    /// What the value must be; nil if it is.
    fileprivate func mistake(_ value: JSONValue) -> String? {
        switch (kind, value) {
        case (.text, .string(let text)) where text.utf8.count <= Self.textLimit && !text.isEmpty: nil
        case (.text, _): "a text of 1 to \(Self.textLimit) bytes"
        case (.flag, .bool), (.members, .object): nil
        case (.flag, _): "true or false"
        case (.members, _): "an object"
        case (.whole(let range), _):
            value.integer.map(range.contains) == true
                ? nil : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case (.oneOf(let values), .string(let text)) where values.contains(text): nil
        case (.oneOf(let values), _): "one of \(values.joined(separator: ", "))"
        }
    }
}
