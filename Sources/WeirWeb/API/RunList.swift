import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

struct RunList {
    let dashboard: AudienceDashboard

    func list(_ exchange: Exchange) async throws(Problem) -> Response {
        let filter = dashboard.filter(exchange.target.query, exchange.locale)
        let query = try RunsPage(dashboard: dashboard).query(filter, exchange)
        // Runs can be reported for operations that are not in the catalog.
        if let id = query.operation, dashboard.board.catalog[id] == nil,
            dashboard.board.feed.head(of: .operation(id)) == 0
        {
            throw .unknownOperation(id)
        }
        let page: RunPage
        do { page = try await dashboard.board.answer(query) } catch { throw Problem(error) }
        return try .json([
            "runs": .array(page.runs.map(\.json)), "next": page.next.map { .integer($0.rawValue) } ?? .null,
            "beyond": page.next == nil
                ? .null : page.runs.last.map { .string(query.place(of: $0).description) } ?? .null,
        ])
    }

    /// The current state of a run, or with `at` its state after that change.
    func show(_ id: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let run: RunView
        let moment = try exchange.target.query["at"].map { text throws(Problem) in try exchange.moment(text) }
        do {
            run =
                if let moment {
                    try await dashboard.board.run(id, at: moment)
                } else {
                    try await dashboard.board.run(id)
                }
        } catch {
            throw Problem(error)
        }
        return try .json(run.record.json)
    }
}

extension StateRecord {
    /// The progress, or null if it is unknown.
    var progressJSON: JSONValue {
        guard let progress else { return .null }
        return [
            "completed": .integer(progress.completed), "total": progress.total.map(JSONValue.integer) ?? .null,
            "unit": .string(progress.unit.rawValue), "fraction": progress.fraction.map(JSONValue.number) ?? .null,
        ]
    }
}

extension RunComparison {
    /// The comparison, with durations in milliseconds.
    var json: JSONValue {
        [
            "a": first.record.json, "b": second.record.json,
            "parting": parting.map { .integer(Int64($0)) } ?? .null,
            "differingInput": .array(differingInput.map(JSONValue.string)),
            "output": output?.json ?? .null, "file": file?.json ?? .null,
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
            "nodes": .array(nodes.map(\.json)),
        ]
    }
}

extension StepComparison {
    fileprivate var json: JSONValue {
        [
            "step": .string(name), "title": .string(title), "a": first?.json ?? .null, "b": second?.json ?? .null,
            "difference": difference.map(JSONValue.integer) ?? .null, "same": .bool(isSame),
            "differingValues": .array(differingValues.map(JSONValue.string)),
        ]
    }
}

extension StepComparison.Side {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "status": .string(step.status.rawValue), "run": step.run.map(JSONValue.string) ?? .null,
            "duration": duration.map(JSONValue.integer) ?? .null, "values": .object(values),
        ]
        if let items = step.items {
            members["items"] = [
                "total": .integer(Int64(items.total)), "succeeded": .integer(Int64(items.succeeded)),
                "failed": .integer(Int64(items.failed)),
            ]
        }
        return .object(members)
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

extension OutputComparison {
    /// The maximum number of differing lines in an answer.
    private static var answered: Int { 500 }

    fileprivate var json: JSONValue {
        let line = { (lines: [OutputLine], index: Int?) -> JSONValue in
            index.map { ["number": .integer(lines[$0].number.rawValue), "text": .string(lines[$0].text)] } ?? .null
        }
        let differing = diff.rows.filter { $0.kind == .other }
        return [
            "isPart": .bool(isPart), "differing": .integer(Int64(differing.count)),
            "lines": .array(
                differing.prefix(Self.answered).map { ["a": line(first, $0.first), "b": line(second, $0.second)] }),
        ]
    }
}

extension OperationFileChange {
    fileprivate var json: JSONValue {
        let version = { (version: OperationVersion?) -> JSONValue in
            version.map { ["digest": .string($0.digest), "since": .string($0.since.description)] } ?? .null
        }
        return ["a": version(first), "b": version(second)]
    }
}
