import WeirBoards
import WeirJournals
import WeirStates

extension OperationHealth {
    /// The health as the API tells it at a moment; durations are in milliseconds.
    func json(at now: Timestamp) -> JSONValue {
        [
            "operation": .string(operation), "asOf": .string(asOf.description),
            "days": .integer(Self.span / 86_400_000),
            "isCut": .bool(isCut), "usual": usual.map(JSONValue.integer) ?? .null,
            "figures": figures.json, "bucket": isHourly ? "hour" : "day",
            "buckets": .array(
                buckets.map { ["start": .string($0.start.description), "figures": $0.figures.json] }),
            "states": .array(
                states.map { state in
                    [
                        "case": .string(state.caseName), "runs": .integer(Int64(state.runs)),
                        "p50": .integer(state.p50), "p95": .integer(state.p95),
                    ]
                }),
            "slow": .array(slow(at: now).map(\.json)), "slowest": .array(slowest.map(\.json)),
            "errors": .array(
                errors.map { group in
                    [
                        "sentence": group.sentence.map(JSONValue.string) ?? .null, "case": .string(group.caseName),
                        "count": .integer(Int64(group.count)), "newest": .string(group.newest.id),
                    ]
                }),
            "inputs": .array(
                inputs.map { input in
                    [
                        "input": input.input, "failed": .integer(Int64(input.failed)),
                        "ended": .integer(Int64(input.ended)), "newest": .string(input.newest.id),
                    ]
                }),
        ]
    }
}

extension OperationHealth.Figures {
    fileprivate var json: JSONValue {
        [
            "succeeded": .integer(Int64(succeeded)), "failed": .integer(Int64(failed)),
            "stopped": .integer(Int64(stopped)), "successRate": successRate.map(JSONValue.number) ?? .null,
            "p50": p50.map(JSONValue.integer) ?? .null, "p95": p95.map(JSONValue.integer) ?? .null,
        ]
    }
}
