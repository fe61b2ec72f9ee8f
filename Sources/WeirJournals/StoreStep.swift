package import WeirStates

/// The cause of a store's state, recorded with each change of a store.
///
/// Its JSON is an object with `kind`, and with the other members that are not empty.
package struct StoreStep: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The store was created in its initial state.
        case opened
        case action
        /// A state was restored from outside.
        case rehydrated
        /// An earlier state was restored.
        case returned
        /// The initial state was restored.
        case reset
        /// The previously recorded state no longer decodes; the store continued from its initial state.
        case unreadable
    }

    package let kind: Kind
    /// The action; only with `action`.
    package let action: RecordedAction?
    /// The actor; nil for the store's own effects and for the server.
    package let actor: String?
    package let effects: [RecordedEffect]
    /// The sequence of the restored change; only with `returned`.
    package let returnedTo: SequenceNumber?
    /// The idempotency key of the request, if any.
    package let idempotencyKey: String?

    package init(
        _ kind: Kind, action: RecordedAction? = nil, actor: String? = nil, effects: [RecordedEffect] = [],
        returnedTo: SequenceNumber? = nil, idempotencyKey: String? = nil
    ) {
        self.kind = kind
        self.action = action
        self.actor = actor
        self.effects = effects
        self.returnedTo = returnedTo
        self.idempotencyKey = idempotencyKey
    }
}

extension StoreStep: RecordedForm {
    package var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string(kind.rawValue)]
        members["action"] = action?.json
        members["actor"] = actor.map(JSONValue.string)
        if !effects.isEmpty { members["effects"] = .array(effects.map(\.json)) }
        members["returnedTo"] = returnedTo.map { .integer($0.rawValue) }
        members["idempotencyKey"] = idempotencyKey.map(JSONValue.string)
        return .object(members)
    }

    package init?(json: JSONValue) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)) else { return nil }
        let effects = json["effects"]?.array ?? []
        self.init(
            kind, action: json["action"].flatMap(RecordedAction.init(json:)), actor: json["actor"]?.string,
            effects: effects.compactMap(RecordedEffect.init(json:)), returnedTo: json["returnedTo"]?.sequenceNumber,
            idempotencyKey: json["idempotencyKey"]?.string)
        guard self.effects.count == effects.count, (json["action"] == nil) == (action == nil) else { return nil }
    }
}

/// A type-erased action: the name of its case and its payload.
///
/// Its JSON is one object: `{"type":"tick","step":3}` is the case `tick` with a `step`.
package struct RecordedAction: Sendable, Hashable {
    package let name: String
    /// The case's payload, as a JSON object; unlabelled values are named `_0`, `_1`, ….
    package let payload: JSONValue

    package init(name: String, payload: JSONValue = [:]) {
        self.name = name
        self.payload = payload
    }
}

extension RecordedAction: RecordedForm {
    /// The name as `type`, merged with the payload's members; a payload that has a `type` itself is nested in
    /// `payload`.
    package var json: JSONValue {
        guard var members = payload.object, members["type"] == nil, members["payload"] == nil else {
            return ["type": .string(name), "payload": payload]
        }
        members["type"] = .string(name)
        return .object(members)
    }

    /// Decodes `json`; nil for anything but an object with a text as `type`.
    package init?(json: JSONValue) {
        guard var members = json.object, let name = members.removeValue(forKey: "type")?.string else { return nil }
        if members.count == 1, let payload = members["payload"] {
            self.init(name: name, payload: payload)
        } else {
            self.init(name: name, payload: .object(members))
        }
    }
}

/// A value with one JSON encoding in journals, responses and pages.
protocol RecordedForm: Codable {
    var json: JSONValue { get }
    /// Decodes `json`; nil for anything else.
    init?(json: JSONValue)
}

extension RecordedForm {
    /// Decodes the JSON form; throws `DecodingError` for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(json: try container.decode(JSONValue.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is not a \(Self.self)")
        }
        self = value
    }

    /// Encodes the JSON form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(json)
    }
}
