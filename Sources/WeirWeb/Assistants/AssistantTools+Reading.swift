import WeirStates

extension AssistantTools {
    static let run = AssistantTool.Argument("run", .text, "The id of the run.", required: true)
    private static let operation = AssistantTool.Argument("operation", .text, "The id of the operation.")

    static let reading: [AssistantTool] = [
        AssistantTool(
            name: "list_operations", title: "List operations",
            text: "Lists the operations that the caller may see, with their inputs as JSON Schema.",
            arguments: [
                .init("search", .text, "A word in the id, the title or the summary."),
                .init("after", .text, "The last id of the previous list, to continue it."),
            ]
        ) { tools, arguments async throws(Failure) in try await tools.operations(arguments) },
        AssistantTool(
            name: "list_runs", title: "List runs", text: "Lists runs, newest first.",
            arguments: [
                operation, .init("phase", .oneOf(APISchema.phases), "The phase of the runs."),
                .init("text", .text, "Words in the inputs, states and messages of the runs."),
                .init("before", .whole(1...Int64.max), "The next of the previous list, to continue it."),
                .init("limit", .whole(1...50), "The number of runs; 20 if it is absent."),
            ]
        ) { tools, arguments async throws(Failure) in try await tools.runs(arguments) },
        AssistantTool(
            name: "follow_run", title: "Follow a run",
            text: "Waits until a run has ended, or until the time is over, and returns its state.",
            arguments: [
                run,
                .init(
                    "seconds", .whole(0...longestWait), "The longest wait; 0, the default, returns the state at once."),
            ]
        ) { tools, arguments async throws(Failure) in try await tools.follow(arguments) },
        AssistantTool(
            name: "read_output", title: "Read output",
            text: "Returns lines of what a run printed: the newest, those after a line, or those that contain a text.",
            arguments: [
                run, .init("after", .whole(0...Int64.max), "The number of a line: returns the lines after it."),
                .init("search", .text, "A literal text, in any case: returns only lines that contain it."),
                .init("errors", .flag, "Whether only standard error is searched."),
                .init("limit", .whole(1...200), "The number of lines; 50 if it is absent."),
            ]
        ) { tools, arguments async throws(Failure) in try await tools.output(arguments) },
        AssistantTool(
            name: "explain_failure", title: "Explain a failure",
            text: """
                Says why a run failed: its message, the failed step, its last lines of output, what differs from the newest \
                successful run before it, and a link.
                """,
            arguments: [run]
        ) { tools, arguments async throws(Failure) in try await tools.explain(arguments) },
    ]

    private static let operationLimit = 25

    private func operations(_ arguments: AssistantTool.Arguments) async throws(Failure) -> JSONValue {
        let all = try await get("operations")["operations"]?.array ?? []
        let word = arguments.text("search")?.lowercased()
        let after = arguments.text("after")
        let found = all.sorted { ($0["id"]?.string ?? "") < ($1["id"]?.string ?? "") }.filter { operation in
            let texts = ["id", "title", "summary"].compactMap { operation[$0]?.string?.lowercased() }
            return (word.map { word in texts.contains { $0.contains(word) } } ?? true)
                && (after.map { (operation["id"]?.string ?? "") > $0 } ?? true)
        }
        let shown = found.prefix(Self.operationLimit).map { operation -> JSONValue in
            var members: [String: JSONValue] = [:]
            for name in ["id", "title", "summary", "inputSchema", "activeRuns", "reported"] {
                members[name] = operation[name]
            }
            members["latest"] = operation["latest"].flatMap { $0 == .null ? nil : brief($0) }
            return .object(members)
        }
        return ["operations": .array(shown), "more": .bool(found.count > shown.count)]
    }

    private func runs(_ arguments: AssistantTool.Arguments) async throws(Failure) -> JSONValue {
        var query = [(name: "limit", value: "\(arguments.whole("limit") ?? 20)")]
        for name in ["operation", "phase", "text"] {
            if let value = arguments.text(name) { query.append((name, value)) }
        }
        if let before = arguments.whole("before") { query.append(("before", "\(before)")) }
        let page = try await get("runs", query: query)
        return ["runs": .array((page["runs"]?.array ?? []).map(brief)), "next": page["next"] ?? .null]
    }

    /// Waits for the changes of the run's feed, each time for as long as is left.
    private func follow(_ arguments: AssistantTool.Arguments) async throws(Failure) -> JSONValue {
        let id = arguments.text("run") ?? ""
        let clock = ContinuousClock()
        let end = clock.now + .seconds(arguments.whole("seconds") ?? 0)
        // The cursor is read before the run, so that no change is missed between them.
        var cursor = try await get("feeds", "run-\(id)", "changes", query: [("after", "now")])["next"]?.string
        while true {
            let run = try await get("runs", id)
            let left = (end - clock.now).components.seconds
            guard run["endedAt"] == .null, left > 0, let after = cursor else { return brief(run) }
            let asked = clock.now
            let changes = try await get(
                "feeds", "run-\(id)", "changes",
                query: [("after", after), ("wait", "\(min(left, Self.longestHold))"), ("limit", "1")])
            // A server that shuts down holds no requests; the shortest hold is a second.
            if changes["changes"]?.array?.isEmpty != false, clock.now - asked < .milliseconds(500) { return brief(run) }
            cursor = changes["next"]?.string
        }
    }

    /// The longest held request in seconds, below the time after which clients give up.
    private static let longestHold: Int64 = 10

    private func output(_ arguments: AssistantTool.Arguments) async throws(Failure) -> JSONValue {
        let id = arguments.text("run") ?? ""
        let limit = arguments.whole("limit") ?? 50
        var query = [(name: "limit", value: "\(limit)")]
        if arguments.text("search") != nil || arguments.flag("errors") {
            query.append(("search", arguments.text("search") ?? ""))
            if arguments.flag("errors") { query.append(("errors", "true")) }
            query.append(("after", "\(arguments.whole("after") ?? 0)"))
        } else {
            var after = arguments.whole("after")
            if after == nil { after = try await start(ofLast: limit, of: id) }
            query.append(("after", "\(after ?? 0)"))
        }
        let found = try await get("runs", id, "output", query: query)
        var (lines, bytes) = ([JSONValue](), 0)
        for line in found["lines"]?.array ?? [] {
            let shown = self.line(line)
            bytes += shown["text"]?.string?.utf8.count ?? 0
            if bytes > Self.resultLimit / 4, !lines.isEmpty { break }
            lines.append(shown)
        }
        let isCut = lines.count < found["lines"]?.array?.count ?? 0
        var members: [String: JSONValue] = [
            "lines": .array(lines), "count": found["count"] ?? .null, "ended": found["ended"] ?? .null,
            "more": isCut ? true : found["more"] ?? .null,
            "next": isCut ? lines.last?["number"] ?? .null : found["next"] ?? .null,
        ]
        members["matches"] = found["matches"]
        return .object(members)
    }

    /// A line with a bounded text.
    func line(_ line: JSONValue) -> JSONValue {
        [
            "number": line["number"] ?? .null, "channel": line["channel"] ?? .null,
            "text": .string(Self.cut(line["text"]?.string ?? "")),
        ]
    }

    /// A run without what an assistant rarely needs, and with a link to its page.
    func brief(_ run: JSONValue) -> JSONValue {
        let long = ["input", "state"]
        let rarelyNeeded = ["revision", "sequence", "reported"]
        var members = (run.object ?? [:]).filter { $1 != .null && !(long + rarelyNeeded).contains($0) }
        for name in long {
            guard let value = run[name], let text = try? value.text() else { continue }
            members[name] = text.utf8.count <= 8_000 ? value : .string(Self.cut(text, to: 8_000))
        }
        if let id = run["id"]?.string { members["link"] = .string(link(to: id)) }
        return .object(members)
    }
}
