import WeirStates

extension AssistantTools {
    private static let lastLines: Int64 = 20

    /// Explains the end of a run from its record, its failed step, its output, and the newest success before it.
    func explain(_ arguments: AssistantTool.Arguments) async throws(Failure) -> JSONValue {
        let id = arguments.text("run") ?? ""
        let run = try await get("runs", id)
        guard run["phase"] == "failed" || run["phase"] == "interrupted" || run["phase"] == "cancelled" else {
            throw Failure(
                text: "The run has not failed: its phase is \(run["phase"]?.string ?? "unknown"). \(link(to: id))",
                status: nil)
        }
        var members: [String: JSONValue] = ["run": brief(run), "link": .string(link(to: id))]
        members["reason"] = .string(reason(of: run))
        var printing = id
        let failed = (run["state"]?["steps"]?.array ?? []).filter {
            $0["status"] == "failed" && $0["allowsFailure"]?.bool != true
        }
        if let step = failed.first {
            members["failedStep"] = step["name"]
            if failed.count > 1 { members["failedSteps"] = .array(failed.compactMap { $0["name"] }) }
            printing = step["run"]?.string ?? id
            // The step's own run has the message of its failure; the caller may not see it.
            if printing != id, let own = try? await get("runs", printing) {
                members["reason"] = .string(reason(of: own))
            }
        }
        if let lines = try? await lastLines(of: printing) { members["lastLines"] = .array(lines) }
        // A run before it may have been removed, or be of another operation's history.
        members["sinceLastSuccess"] = try? await difference(run)
        return .object(members)
    }

    private func reason(of run: JSONValue) -> String {
        let message = run["state"]?["message"]?.string ?? run["state"]?["error"]?.string
        return Self.cut(message ?? run["cause"]?.string ?? "The run ended as \(run["case"]?.string ?? "failed").")
    }

    /// The number of the line after which the last `limit` lines of a run's output follow.
    func start(ofLast limit: Int64, of run: String) async throws(Failure) -> Int64 {
        let count = try await get("runs", run, "output", query: [("limit", "1")])["count"]?.integer ?? 0
        return max(0, count.subtractingReportingOverflow(limit).partialValue)
    }

    private func lastLines(of run: String) async throws(Failure) -> [JSONValue] {
        let after = try await start(ofLast: Self.lastLines, of: run)
        let found = try await get(
            "runs", run, "output", query: [("after", "\(after)"), ("limit", "\(Self.lastLines)")])
        return (found["lines"]?.array ?? []).map { line($0) }
    }

    /// What differs between the run and the newest success before it.
    private func difference(_ run: JSONValue) async throws(Failure) -> JSONValue {
        let id = run["id"]?.string ?? ""
        let before = try await get(
            "runs",
            query: [
                ("operation", run["operation"]?.string ?? ""), ("phase", "succeeded"), ("limit", "1"),
                ("startedBefore", run["startedAt"]?.string ?? ""),
            ])
        guard let success = before["runs"]?.element(at: 0), let other = success["id"]?.string else {
            return "No run of the operation succeeded before."
        }
        let compared = try await get("runs", other, "comparison", query: [("with", id)])
        let names = compared["differingInput"]?.array?.compactMap(\.string) ?? []
        let inputs = names.map { name -> (String, JSONValue) in
            let values: [String: JSONValue] = [
                "then": success["input"]?[name] ?? .null, "now": run["input"]?[name] ?? .null,
            ]
            return (name, .object(values))
        }
        let parting = compared["parting"]?.integer.flatMap { index in
            Int(exactly: index).flatMap { compared["steps"]?.element(at: $0) }
        }
        return [
            "lastSuccess": [
                "id": .string(other), "startedAt": success["startedAt"] ?? .null, "link": .string(link(to: other)),
            ],
            "inputs": .object(Dictionary(inputs) { $1 }), "durations": compared["durations"] ?? .null,
            "firstDifferentState": parting.map {
                ["then": $0["a"]?["case"] ?? .null, "now": $0["b"]?["case"] ?? .null]
            }
                ?? .null,
        ]
    }
}
