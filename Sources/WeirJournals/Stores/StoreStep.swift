package import WeirStates

/// What caused a store's state; recorded with each change of a store, and with no change of a run.
///
/// As JSON it is an object with `kind`, and with the other members if they are not empty.
package struct StoreStep: Sendable, Hashable {
    /// What kind of step it is.
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// The store existed for the first time, in its initial state.
        case opened
        /// An action was reduced.
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

    /// What kind of step it is.
    package let kind: Kind
    /// The action, with `action` and no other kind.
    package let action: RecordedAction?
    /// Who took it; nil for the store's own work, and for what the server does by itself.
    package let actor: String?
    /// The effects of the step, in order.
    package let effects: [RecordedEffect]
    /// The sequence of the change whose state was restored, with `returned` and no other kind.
    package let returnedTo: SequenceNumber?
    /// The key by which a repeated request finds this step, if its sender sent one.
    package let idempotencyKey: String?

    /// Creates a step from its parts.
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
    /// The step as it is recorded.
    package var json: JSONValue {
        var members: [String: JSONValue] = ["kind": .string(kind.rawValue)]
        members["action"] = action?.json
        members["actor"] = actor.map(JSONValue.string)
        if !effects.isEmpty { members["effects"] = .array(effects.map(\.json)) }
        members["returnedTo"] = returnedTo.map { .integer($0.rawValue) }
        members["idempotencyKey"] = idempotencyKey.map(JSONValue.string)
        return .object(members)
    }

    /// Reads what `json` wrote; nil for anything else.
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
