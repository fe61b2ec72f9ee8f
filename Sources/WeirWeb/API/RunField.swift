import WeirJournals
import WeirStates

/// A member of a run in the API's answers, in the API's description, and in exported tables.
struct RunField: Sendable {
    let name: String
    let schema: APISchema
    let value: @Sendable (RunRecord) -> JSONValue

    private init(_ name: String, _ schema: APISchema, value: @escaping @Sendable (RunRecord) -> JSONValue) {
        self.name = name
        self.schema = schema
        self.value = value
    }

    static let all = [
        RunField("id", .text) { .string($0.id) },
        RunField("operation", .text) { .string($0.operation) },
        RunField("actor", .text) { .string($0.opening.actor) },
        RunField("input", .anything) { $0.opening.input },
        RunField("phase", .oneOf(APISchema.phases)) { .string($0.state.phase.rawValue) },
        RunField("case", .text) { .string($0.state.caseName) },
        RunField("state", .anything) { $0.state.payload },
        RunField("progress", .ref("Progress").orNull) { $0.state.progressJSON },
        RunField("revision", .whole) { .integer($0.revision) },
        RunField("sequence", .whole) { .integer($0.sequence.rawValue) },
        RunField("startedAt", .time) { .string($0.startedAt.description) },
        RunField("endedAt", .time.orNull) { $0.endedAt.map { .string($0.description) } ?? .null },
        RunField("cause", .text.orNull) { $0.cause.map(JSONValue.string) ?? .null },
        RunField("retryOf", .text.orNull) { $0.opening.retryOf.map(JSONValue.string) ?? .null },
        RunField("attempt", .whole(from: 1)) { .integer($0.opening.attempt) },
        RunField("reported", .flag) { .bool($0.isReported) },
        RunField("title", .text.orNull) { $0.opening.report?.title.map(JSONValue.string) ?? .null },
    ]

    /// The columns of an exported table, of which `seconds` and `message` are no members of a run.
    static let columns = [
        "id", "operation", "title", "phase", "case", "actor", "startedAt", "endedAt", "seconds", "input", "state",
        "cause", "retryOf", "message", "attempt",
    ]

    /// The cells of a run in an exported table, in the order of ``columns``, with the titles of operations.
    static func cells(of run: RunRecord, _ titles: [String: String]) throws -> [String] {
        let members = run.json
        return try columns.map { name in
            switch name {
            case "title": run.opening.report?.title ?? titles[run.operation] ?? run.operation
            case "seconds": run.endedAt.map { String(Double($0 - run.startedAt) / 1_000) } ?? ""
            case "message": run.state.payload["message"]?.string ?? ""
            case "input", "state": try members[name]?.text() ?? ""
            default:
                switch members[name] {
                case nil, .null: ""
                case .string(let text): text
                case .some(let value): try value.text()
                }
            }
        }
    }
}

extension RunRecord {
    var json: JSONValue { .object(RunField.all.reduce(into: [:]) { $0[$1.name] = $1.value(self) }) }
}
