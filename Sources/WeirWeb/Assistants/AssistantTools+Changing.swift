import WeirStates

extension AssistantTools {
    static let changing: [AssistantTool] = [
        AssistantTool(
            name: "start_run", title: "Start a run", text: "Starts a run of an operation. Use follow_run for its end.",
            changes: true,
            arguments: [
                .init("operation", .text, "The id of the operation.", required: true),
                .init("input", .members, "The input, as the operation's inputSchema describes it."),
            ]
        ) { tools, arguments async throws(Failure) in
            let input = arguments.members["input"] ?? [:]
            return tools.brief(
                try await tools.post("operations", arguments.text("operation") ?? "", "runs", body: input))
        },
        AssistantTool(
            name: "cancel_run", title: "Cancel a run", text: "Cancels an active run.", changes: true, arguments: [run]
        ) { tools, arguments async throws(Failure) in
            tools.brief(try await tools.post("runs", arguments.text("run") ?? "", "cancellation"))
        },
        AssistantTool(
            name: "retry_run", title: "Retry a run",
            text: "Starts a new run with the same input; with continue, reuses the steps that succeeded.",
            changes: true,
            arguments: [run, .init("continue", .flag, "Whether the steps that succeeded are reused.")]
        ) { tools, arguments async throws(Failure) in
            let command = arguments.flag("continue") ? "continuation" : "retries"
            return tools.brief(try await tools.post("runs", arguments.text("run") ?? "", command))
        },
        AssistantTool(
            name: "decide_step", title: "Decide a step",
            text: "Approves or refuses a step that waits for a decision. Only do so if the user said which.",
            changes: true,
            arguments: [
                run, .init("step", .text, "The name of the step.", required: true),
                .init("decision", .oneOf(["approve", "refuse"]), "The decision.", required: true),
                .init("comment", .text, "A comment for the record."),
            ]
        ) { tools, arguments async throws(Failure) in
            var body: [String: JSONValue] = [:]
            for name in ["step", "decision", "comment"] { body[name] = arguments.members[name] }
            return tools.brief(
                try await tools.post("runs", arguments.text("run") ?? "", "decision", body: .object(body)))
        },
    ]
}
