public import States

/// What brought a store's state about: recorded with each change of a store, and with no change of a run.
///
/// As JSON an object with `kind`, and with the other members where they are not empty.
public struct StoreStep: Sendable, Hashable {
    /// What kind of step it is.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The store was there for the first time, in its initial state.
        case opened
        /// An action was reduced.
        case action
        /// A state was put in from outside.
        case rehydrated
        /// A state of before was put back.
        case returned
        /// The initial state was put back.
        case reset
        /// The state recorded before no longer decodes; the store went on from its initial state.
        case unreadable
    }

    /// What kind of step it is.
    public let kind: Kind
    /// The action, with `action` and no other kind.
    public let action: RecordedAction?
    /// Who took it; nil for the store's own work, and for what the server does by itself.
    public let actor: String?
    /// What happened once because of it, in order.
    public let effects: [RecordedEffect]
    /// The sequence of the change whose state was put back, with `returned` and no other kind.
    public let returnedTo: Int64?
    /// The key under which a repeated request finds this step again, if its sender gave one.
    public let idempotencyKey: String?

    /// Makes a step of its parts.
    public init(
        _ kind: Kind, action: RecordedAction? = nil, actor: String? = nil, effects: [RecordedEffect] = [],
        returnedTo: Int64? = nil, idempotencyKey: String? = nil
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
    /// The step as it is written down.
    public var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string(kind.rawValue)]
        members["action"] = action?.json
        members["actor"] = actor.map(JSONValue.string)
        if !effects.isEmpty { members["effects"] = .array(effects.map(\.json)) }
        members["returnedTo"] = returnedTo.map(JSONValue.integer)
        members["idempotencyKey"] = idempotencyKey.map(JSONValue.string)
        return .object(members)
    }

    /// Reads what `json` wrote; nil for anything else.
    public init?(json: JSONValue) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:)) else { return nil }
        let effects = json["effects"]?.array ?? []
        self.init(
            kind, action: json["action"].flatMap(RecordedAction.init(json:)), actor: json["actor"]?.string,
            effects: effects.compactMap(RecordedEffect.init(json:)), returnedTo: json["returnedTo"]?.integer,
            idempotencyKey: json["idempotencyKey"]?.string)
        guard self.effects.count == effects.count, (json["action"] == nil) == (action == nil) else { return nil }
    }
}
