import Hummingbird
import WeirBoards
import WeirJournals
import WeirOperations
import WeirStates

struct OperationList {
    let dashboard: AudienceDashboard

    func list() throws(Problem) -> Response {
        let (view, acknowledged) = (dashboard.board.view(), dashboard.board.acknowledgements)
        let operations = dashboard.board.catalog.entries.filter { $0.partOf == nil }
            .map { $0.json(view.operation($0.id), acknowledged[$0.id]) }
        return try .json(["operations": .array(operations)])
    }

    func show(_ id: String) throws(Problem) -> Response {
        guard let entry = dashboard.board.catalog[id] else { throw .unknownOperation(id) }
        return try .json(entry.json(dashboard.board.view().operation(id), dashboard.board.acknowledgements[id]))
    }
}

extension CatalogEntry {
    func json(_ view: OperationView?, _ acknowledgement: Acknowledgement?) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "title": .string(title), "summary": .string(summary),
            "fields": .array(fields.map(\.json)), "inputSchema": JSONSchema(for: fields).value,
            "lifetime": .string(lifetimeName), "reentry": .string(reentry.rawValue), "reported": .bool(isReported),
            "activeRuns": .integer(Int64(view?.activeRuns ?? 0)), "latest": view?.latest?.record.json ?? .null,
            "acknowledged": acknowledgement?.json ?? .null,
        ]
        members["partOf"] = partOf.map { .string($0) }
        if !presets.isEmpty {
            members["presets"] = .array(presets.map { ["name": .string($0.name), "input": $0.input] })
        }
        return .object(members)
    }

    private var lifetimeName: String {
        switch lifetime {
        case .onDemand: "onDemand"
        case .whileWatched: "whileWatched"
        }
    }
}

extension InputField {
    /// The field's description for drawing a form; the schema has the exact bounds.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name), "label": .string(label), "kind": .string(kindName), "required": .bool(isRequired),
        ]
        members["default"] = defaultValue
        members["help"] = help.map(JSONValue.string)
        members["unit"] = unit.map(JSONValue.string)
        if case .choice(let values) = kind { members["values"] = .array(values.map(JSONValue.string)) }
        if !conditions.isEmpty {
            members["if"] = .object(Dictionary(conditions.map { ($0.field, .array($0.tests.map(\.json))) }) { $1 })
        }
        if !groups.isEmpty { members["groups"] = .array(groups.map(\.json)) }
        return .object(members)
    }

    private var kindName: String {
        switch kind {
        case .text: format?.rawValue ?? "text"
        case .multiline: "multiline"
        case .url: "url"
        case .integer: "integer"
        case .number: "number"
        case .boolean: "boolean"
        case .choice: takesSeveral ? "choices" : "choice"
        case .secret: "secret"
        case .file: "file"
        }
    }
}

extension StepCondition.Test {
    fileprivate var json: JSONValue {
        switch self {
        case .isOneOf(let texts): .array(texts.map(JSONValue.string))
        case .isAbove(let bound): ["above": .number(bound)]
        case .isBelow(let bound): ["below": .number(bound)]
        case .matches(let pattern): ["match": .string(pattern)]
        case .not(let test): ["not": test.json]
        }
    }
}

extension ChoiceGroup {
    fileprivate var json: JSONValue {
        let beside = Dictionary(conditions.map { ($0.field, JSONValue.string($0.value)) }) { first, _ in first }
        return ["beside": .object(beside), "values": .array(values.map(JSONValue.string))]
    }
}

extension OperationHealth {
    /// The figures at a moment, with durations in milliseconds.
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
            "errors": .array(errors.map(\.json)),
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
    var json: JSONValue {
        [
            "succeeded": .integer(Int64(succeeded)), "failed": .integer(Int64(failed)),
            "stopped": .integer(Int64(stopped)), "successRate": successRate.map(JSONValue.number) ?? .null,
            "p50": p50.map(JSONValue.integer) ?? .null, "p95": p95.map(JSONValue.integer) ?? .null,
        ]
    }
}

extension ScheduleView {
    var json: JSONValue {
        let schedule = start.schedule
        return [
            "operation": .string(operation), "schedule": .string(schedule.text),
            "timezone": .string(schedule.timezone), "randomDelaySeconds": .integer(schedule.randomDelay / 1_000),
            "catchUp": .string(schedule.catchUp.rawValue),
            "paused": standing.pause.map {
                [
                    "by": .string($0.by), "at": .string($0.at.description),
                    "reason": $0.reason.map { .string($0) } ?? .null,
                ]
            } ?? .null,
            "last": standing.last.map {
                [
                    "time": .string($0.time.description), "at": .string($0.at.description),
                    "run": $0.run.map(JSONValue.string) ?? .null, "refusal": $0.refusal.map(JSONValue.string) ?? .null,
                ]
            } ?? .null,
            "missed": standing.missed.map {
                [
                    "count": .integer(Int64($0.count)), "newest": .string($0.newest.description),
                    "at": .string($0.at.description),
                ]
            } ?? .null,
            "next": .array(
                upcoming.map { time in
                    let start = time.after(schedule.delay(of: time, for: operation))
                    return ["time": .string(time.description), "start": .string(start.description)]
                }),
        ]
    }
}

extension OperationHealth.ErrorGroup {
    var json: JSONValue {
        [
            "sentence": sentence.map(JSONValue.string) ?? .null, "case": .string(caseName),
            "count": .integer(Int64(count)), "newest": .string(newest.id),
        ]
    }
}
