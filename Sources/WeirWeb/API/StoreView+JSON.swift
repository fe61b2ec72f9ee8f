import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

extension StoreView {
    /// The store as lists of the API and answers to commands tell it.
    func summary(epoch: String) -> [String: JSONValue] {
        [
            "id": .string(id), "title": .string(entry.title), "summary": .string(entry.summary),
            "case": .string(state.caseName), "phase": .string(state.phase.rawValue), "state": state.payload,
            "progress": state.progressJSON, "revision": .integer(revision), "sequence": .integer(sequence.rawValue),
            "cursor": .string(FeedCursor(epoch: epoch, sequence: sequence).description),
            "last": log.first?.json ?? .null,
        ]
    }

    /// The store with all that can be done, and its log, newest first.
    func json(epoch: String) -> JSONValue {
        let more: [String: JSONValue] = [
            "actions": .array(entry.forms.map(\.json)), "offers": .array(offers.map(\.json)),
            "log": .array(log.map(\.json)), "omitted": .integer(omittedSteps),
        ]
        return .object(summary(epoch: epoch).merging(more) { $1 })
    }
}

extension StoreLogLine {
    /// The step as the API tells it.
    var json: JSONValue {
        let members: [String: JSONValue] = [
            "sequence": .integer(sequence.rawValue), "revision": .integer(revision), "at": .string(at.description),
            "case": .string(caseName), "phase": .string(phase.rawValue),
            "cause": cause.map(JSONValue.string) ?? .null,
        ]
        return .object(members.merging(step.told) { $1 })
    }
}

extension StoreStep {
    /// What the API tells of a step: every member, and nobody's idempotency key.
    var told: [String: JSONValue] {
        [
            "kind": .string(kind.rawValue), "action": action?.json ?? .null,
            "actor": actor.map(JSONValue.string) ?? .null, "effects": .array(effects.map(\.json)),
            "returnedTo": returnedTo.map { .integer($0.rawValue) } ?? .null,
        ]
    }
}

extension ActionForm {
    /// The form as the API tells it; an action is sent with the name as `type` and the fields beside it.
    fileprivate var json: JSONValue {
        [
            "type": .string(name), "title": .string(title), "tone": .string(tone.rawValue),
            "fields": .array(fields.map(\.json)), "inputSchema": JSONSchema(for: fields).value,
        ]
    }
}

extension ActionOffer {
    /// The offer as the API tells it.
    fileprivate var json: JSONValue {
        [
            "type": .string(form), "title": title.map(JSONValue.string) ?? .null, "values": values,
            "anchor": anchor.map(JSONValue.string) ?? .null, "enabled": .bool(isEnabled),
        ]
    }
}
