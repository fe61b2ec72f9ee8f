import Journals
import States

extension Change {
    /// The change as the API tells it.
    var json: JSONValue {
        [
            "sequence": .integer(sequence), "stream": .string(stream.description), "operation": .string(subject),
            "revision": .integer(revision), "at": .string(at.description), "case": .string(state.caseName),
            "phase": .string(state.phase.rawValue), "progress": state.progressJSON, "state": state.payload,
            "transition": .bool(isTransition), "cause": draft.cause.map(JSONValue.string) ?? .null,
        ]
    }
}
