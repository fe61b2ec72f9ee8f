import HTTPTypes
import WeirAccess
import WeirBoards

extension APIResource {
    static let runs: [APIResource] = [
        APIResource(
            "runs", .anything(.see),
            APIMethod(
                method: .get, name: "listRuns", summary: "Lists runs, newest first unless sort names another order.",
                parameters: APIParameter.filters, answers: [.json(200, .ref("RunList"), "A page of runs.")],
                problems: [422]),
            checksQuery: true
        ) { (dashboard, _, exchange) async throws(Problem) in try await RunList(dashboard: dashboard).list(exchange) },
        APIResource(
            "report", .anything(.see),
            .get(
                "getReport", "Returns the failures, the missed starts and the slower operations of a period.",
                .query("from", .text, "The beginning, in ISO 8601; by default seven days before the end."),
                .query("to", .text, "The end, in ISO 8601; by default now."),
                .query(
                    "period", .oneOf(ReportPeriod.allCases.map(\.rawValue)),
                    "Instead of both: the last whole weekend or week, or thirty days, in the server’s time zone."),
                answers: .json(200, .ref("PeriodReport"), "The report."))
        ) { (dashboard, _, exchange) async throws(Problem) in
            try await ReportPage(dashboard: dashboard).list(exchange)
        },
        APIResource(
            "runs/export", .anything(.export),
            APIMethod(
                method: .get, name: "exportRuns",
                summary: "Downloads the runs of a filtered list, with all their changes and output.",
                parameters: APIParameter.filters + [
                    .query(
                        "format", .oneOf(["jsonl", "csv", "json"]),
                        "jsonl is complete and can be imported; csv and json have the runs alone.")
                ], audit: .export,
                answers: [
                    .of(
                        200, "application/jsonl", "text/csv", "application/json", text: "The file.",
                        headers: "Content-Disposition")
                ], problems: [422]),
            checksQuery: true
        ) { (dashboard, _, exchange) async throws(Problem) in try await RunExports(dashboard: dashboard).list(exchange)
        },
        APIResource(
            "runs/{run}", .run(.see),
            .get(
                "getRun", "Returns a run.", .moment, problems: [410],
                answers: .json(200, .ref("Run"), "The run.")),
            .change(
                .delete, "deleteRun",
                "Deletes an ended run and the runs of its steps, with their input, output and files. Requires the right to "
                    + "administer the server.",
                audit: .delete, problems: [409, 410], answers: .empty(204, "The run is deleted."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await RunDeletions(dashboard: dashboard).answer(route.id, exchange)
        },
        APIResource(
            "runs/{run}/comparison", .run(.see),
            .get(
                "compareRuns", "Compares two runs of one operation, step by step.",
                .query("with", .text, "The id of the other run.", required: true), problems: [410, 422],
                answers: .json(200, .ref("RunComparison"), "The comparison."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await ComparePage(dashboard: dashboard).list(route.id, exchange)
        },
        APIResource(
            "runs/{run}/output", .run(.see),
            .get(
                "readOutput", "Returns lines of a run's output, or those that a search finds.",
                .afterLine, .query("limit", .whole(1...OutputLines.limit), "The maximum number of lines."), .wait,
                .query(
                    "unfinished", .whole(from: 0),
                    "The revision of the known unfinished lines: the wait also ends when they change."),
                .query("search", .text(0...500), "A literal text: only lines that contain it."),
                .query("errors", .oneOf(["true", "false", ""]), "With true, searches only standard error."), .prefer,
                audit: .readOutput, problems: [410],
                answers: .json(200, .ref("Output"), "The lines.", headers: "Preference-Applied"))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await OutputLines(dashboard: dashboard).list(of: route.id, exchange)
        },
        APIResource(
            "runs/{run}/artifacts", .run(.see),
            .get(
                "listArtifacts", "Lists the files that a run keeps.", problems: [410],
                answers: .json(200, .object(["artifacts": .list(.ref("Artifact"))]), "The files."))
        ) { (dashboard, route, _) async throws(Problem) in
            try await RunArtifacts(dashboard: dashboard).list(of: route.id)
        },
        APIResource(
            "runs/{run}/artifacts/{name}", .run(.see),
            .get(
                "getArtifact", "Downloads a file that a run keeps. Its name can contain slashes.", audit: .readOutput,
                problems: [410],
                answers: APIAnswer(
                    status: 200, text: "The file, with the media type of its name.", contents: [("*/*", .bytes)],
                    headers: ["Content-Disposition"])),
            takesRest: true
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await RunArtifacts(dashboard: dashboard).show(route.part, of: route.id, exchange)
        },
        APIResource(
            "runs/{run}/export", .run(.export),
            .get(
                "exportRun", "Downloads a run with all its changes and output.", audit: .export, problems: [410],
                answers: .of(200, "application/jsonl", text: "The file.", headers: "Content-Disposition"))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await RunExports(dashboard: dashboard).show(route.id, exchange)
        },
        APIResource(
            "runs/{run}/notifications", .run(.see),
            .get(
                "listNotificationsOfRun", "Lists the messages about a run.", problems: [410],
                answers: .json(
                    200, .object(["deliveries": .list(.ref("Delivery"))], optional: ["server": .text.orNull]),
                    "The messages."))
        ) { (dashboard, route, _) async throws(Problem) in
            try await HookPages(dashboard: dashboard).list(ofRun: route.id)
        },
    ]

    static let runCommands: [APIResource] = [
        APIResource(
            "runs/{run}/cancellation", .run(.cancel),
            .change(
                .post, "cancelRun", "Cancels an active run.", audit: .cancel, problems: [409, 410],
                answers: .run(202, "The run is being cancelled."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await RunCancellations(dashboard: dashboard).create(of: route.id, exchange)
        },
        APIResource(
            "runs/{run}/retries", .run(.start),
            .change(
                .post, "retryRun", "Starts a new run with the same input, or with the input of the body.",
                .idempotencyKey,
                body: .fields(.members, required: false), audit: .retry, problems: [409, 410, 507],
                answers: .run(201, "The new run."), .unrecordedRun)
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await RunRetries(dashboard: dashboard).create(of: route.id, exchange)
        },
        APIResource(
            "runs/{run}/continuation", .run(.start),
            .change(
                .post, "continueRun", "Starts a new run of steps that reuses the steps that succeeded.",
                .idempotencyKey,
                body: .fields(
                    .object([:], optional: ["from": .text.orNull.described("The step to begin at.")]), required: false),
                audit: .retry, problems: [409, 410, 507], answers: .run(201, "The new run."), .unrecordedRun)
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await RunRetries(dashboard: dashboard).continue(route.id, exchange)
        },
        APIResource(
            "runs/{run}/decision", .run(.see),
            .change(
                .post, "decideStep",
                "Approves or refuses a step that waits for a decision. The step names its deciders.",
                body: .fields(
                    .object(
                        ["step": .text, "decision": .oneOf(["approve", "refuse"])], optional: ["comment": .text.orNull])
                ),
                audit: .decide, problems: [409, 410], answers: .run(202, "The decision is recorded."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await RunDecisions(dashboard: dashboard).create(of: route.id, exchange)
        },
    ]
}
