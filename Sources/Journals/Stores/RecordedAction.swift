public import States

/// An action without its type: the name of its case and what it carries.
///
/// As JSON one object: `{"type":"tick","step":3}` is the case `tick` that carries a `step`.
public struct RecordedAction: Sendable, Hashable {
    /// The name of the case.
    public let name: String
    /// What the case carries, as a JSON object; unlabelled values are named `_0`, `_1`, ….
    public let payload: JSONValue

    /// Makes an action of its parts.
    public init(name: String, payload: JSONValue = [:]) {
        self.name = name
        self.payload = payload
    }
}

extension RecordedAction: RecordedForm {
    /// The name as `type`, the payload's members beside it; a payload with a `type` of its own stands whole in `payload`.
    public var json: JSONValue {
        guard var members = payload.object, members["type"] == nil, members["payload"] == nil else {
            return ["type": .string(name), "payload": payload]
        }
        members["type"] = .string(name)
        return .object(members)
    }

    /// Reads what `json` wrote; nil for anything that is no object with a text as `type`.
    public init?(json: JSONValue) {
        guard var members = json.object, let name = members.removeValue(forKey: "type")?.string else { return nil }
        if members.count == 1, let payload = members["payload"] {
            self.init(name: name, payload: payload)
        } else {
            self.init(name: name, payload: .object(members))
        }
    }
}
