import WeirBoards
import WeirJournals
import WeirStates

extension RunComparison {
    /// The comparison as the API tells it; durations are in milliseconds.
    var json: JSONValue {
        [
            "a": first.record.json, "b": second.record.json,
            "parting": parting.map { .integer(Int64($0)) } ?? .null,
            "differingInput": .array(differingInput.map(JSONValue.string)),
            "durations": [
                "a": .integer(Self.length(of: first)), "b": .integer(Self.length(of: second)),
            ],
            "steps": .array(
                steps.map { step in
                    [
                        "a": step.first?.json ?? .null, "b": step.second?.json ?? .null,
                        "difference": step.difference.map(JSONValue.integer) ?? .null,
                    ]
                }),
        ]
    }
}

extension RunComparison.Segment {
    fileprivate var json: JSONValue {
        [
            "case": .string(state.caseName), "phase": .string(state.phase.rawValue),
            "at": .string(state.at.description), "sequence": .integer(state.sequence.rawValue),
            "duration": duration.map(JSONValue.integer) ?? .null,
        ]
    }
}
