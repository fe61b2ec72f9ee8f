package import WeirStates

/// An action without its type: the name of its case and its payload.
///
/// As JSON it is one object: `{"type":"tick","step":3}` is the case `tick` with a `step`.
package struct RecordedAction: Sendable, Hashable {
    /// The name of the case.
    package let name: String
    /// The case's payload, as a JSON object; unlabelled values are named `_0`, `_1`, ….
    package let payload: JSONValue

    /// Creates an action from its parts.
    package init(name: String, payload: JSONValue = [:]) {
        self.name = name
        self.payload = payload
    }
}

extension RecordedAction: RecordedForm {
    /// The name as `type`, with the payload's members beside it; a payload with a `type` of its own is stored whole in
    /// `payload`.
    package var json: JSONValue {
        guard var members = payload.object, members["type"] == nil, members["payload"] == nil else {
            return ["type": .string(name), "payload": payload]
        }
        members["type"] = .string(name)
        return .object(members)
    }

    /// Reads what `json` wrote; nil for anything but an object with a text as `type`.
    package init?(json: JSONValue) {
        guard var members = json.object, let name = members.removeValue(forKey: "type")?.string else { return nil }
        if members.count == 1, let payload = members["payload"] {
            self.init(name: name, payload: payload)
        } else {
            self.init(name: name, payload: .object(members))
        }
    }
}
