import WeirJournals
import WeirStates

extension RunRecord {
    /// The run as the API tells it.
    var json: JSONValue {
        [
            "id": .string(id), "operation": .string(operation), "actor": .string(opening.actor),
            "input": opening.input, "phase": .string(state.phase.rawValue), "case": .string(state.caseName),
            "state": state.payload, "progress": state.progressJSON, "revision": .integer(revision),
            "sequence": .integer(sequence.rawValue), "startedAt": .string(startedAt.description),
            "endedAt": endedAt.map { .string($0.description) } ?? .null,
            "cause": cause.map(JSONValue.string) ?? .null,
            "retryOf": opening.retryOf.map(JSONValue.string) ?? .null, "reported": .bool(isReported),
            "title": opening.report?.title.map(JSONValue.string) ?? .null,
        ]
    }
}
