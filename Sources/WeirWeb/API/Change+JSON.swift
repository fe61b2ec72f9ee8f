import WeirJournals
import WeirStates

extension Change {
    /// The change as the API tells it.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "sequence": .integer(sequence.rawValue), "stream": .string(stream.description),
            "revision": .integer(revision), "at": .string(at.description), "case": .string(state.caseName),
            "phase": .string(state.phase.rawValue), "progress": state.progressJSON, "state": state.payload,
            "transition": .bool(isTransition), "cause": draft.cause.map(JSONValue.string) ?? .null,
        ]
        switch stream {
        case .run: members["operation"] = .string(subject)
        case .store:
            members["store"] = .string(subject)
            members["step"] = (draft.step?.told).map(JSONValue.object)
        }
        return .object(members)
    }
}
