import HTTPTypes
import WeirAccess

extension APIResource {
    static let schedules: [APIResource] = [
        APIResource(
            "schedules", .anything(.see),
            .get(
                "listSchedules", "Lists the schedules of the operations that the caller may see.",
                answers: .json(200, .object(["schedules": .list(.ref("Schedule"))]), "The schedules."))
        ) { (dashboard, _, _) async throws(Problem) in try await ScheduleList(dashboard: dashboard).list() },
        APIResource(
            "schedules/{operation}", .operation(.see),
            .get(
                "getSchedule", "Returns the schedule of an operation.",
                answers: .json(200, .ref("Schedule"), "The schedule."))
        ) { (dashboard, route, _) async throws(Problem) in try await ScheduleList(dashboard: dashboard).show(route.id)
        },
        APIResource(
            "schedules/{operation}/pause", .operation(.start),
            .change(
                .post, "pauseSchedule", "Pauses the schedule of an operation.",
                body: .fields(.object([:], optional: ["reason": .text(0...200).orNull]), required: false),
                audit: .pauseSchedule, problems: [409, 507],
                answers: .json(200, .ref("Schedule"), "The paused schedule."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await SchedulePauses(dashboard: dashboard).pause(route.id, exchange)
        },
        APIResource(
            "schedules/{operation}/resumption", .operation(.start),
            .change(
                .post, "resumeSchedule", "Resumes the schedule of an operation.", audit: .resumeSchedule,
                problems: [409, 507], answers: .json(200, .ref("Schedule"), "The resumed schedule."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await SchedulePauses(dashboard: dashboard).resume(route.id, exchange)
        },
    ]

    static let server: [APIResource] = [
        APIResource(
            "imports", .everything(.restore),
            .change(
                .post, "importRuns", "Imports a file of exported runs, all of it or nothing.",
                .query(
                    "deleted", .oneOf(["skip", "restore"]),
                    "Whether runs that were deleted here are left out, as they are by default, or imported again."),
                body: APIBody(contents: [
                    ("application/jsonl", .bytes), ("application/octet-stream", .bytes),
                    ("multipart/form-data", .ref("ImportForm")),
                ]), audit: .importRuns, problems: [409, 507],
                answers: .json(201, .ref("ImportReport"), "Runs were imported."),
                .json(200, .ref("ImportReport"), "The file contains nothing new."))
        ) { (dashboard, _, exchange) async throws(Problem) in
            try await RunImports(dashboard: dashboard).create(exchange)
        },
        APIResource(
            "notices", .everything(.administer),
            .get(
                "listNotices", "Lists the messages about the journal that are not dismissed.",
                answers: .json(200, .object(["notices": .list(.ref("Notice"))]), "The messages."))
        ) { (dashboard, _, _) async throws(Problem) in try Notices(dashboard: dashboard).list() },
        APIResource(
            "notices/{notice}/dismissal", .everything(.administer),
            .change(
                .post, "dismissNotice", "Dismisses a message about the journal.", audit: .dismissNotice,
                answers: .json(200, .object(["notices": .list(.ref("Notice"))]), "The remaining messages."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await Notices(dashboard: dashboard).dismiss(route.id, exchange)
        },
        APIResource(
            "notifications", .everything(.administer),
            .get(
                "listServerNotifications",
                "Lists the notification rules for the server, digests and reports, and the newest messages.",
                answers: .rulesAndMessages)
        ) { (dashboard, _, _) async throws(Problem) in try await HookPages(dashboard: dashboard).list(nil) },
        APIResource(
            "notifications/test", .everything(.administer),
            .change(
                .post, "testServerNotifications",
                "Sends a test message with each notification rule for the server, digests and reports.",
                audit: .testNotification, problems: [409],
                answers: .json(202, .object(["deliveries": .list(.ref("Delivery"))]), "The messages are queued."))
        ) { (dashboard, _, exchange) async throws(Problem) in
            try await HookPages(dashboard: dashboard).test(nil, exchange)
        },
        APIResource(
            "servers", .everything(.administer),
            .get(
                "listServers", "Lists the servers that share the journal; none for a journal in a file.",
                answers: .json(200, .object(["servers": .list(.ref("Server"))]), "The servers."))
        ) { (dashboard, _, _) async throws(Problem) in try Servers(dashboard: dashboard).list() },
        APIResource(
            "backups", .everything(.administer),
            .change(
                .post, "makeBackup", "Begins a backup in the folder of the settings.", audit: .backUp,
                problems: [507], answers: .json(202, .ref("Backup"), "The backup has begun."))
        ) { (dashboard, _, _) async throws(Problem) in try Backups(dashboard: dashboard).create() },
        APIResource(
            "backups/latest", .everything(.administer),
            .get(
                "getLatestBackup", "Returns the state of the last backup.",
                answers: .json(200, .ref("Backup"), "The state."))
        ) { (dashboard, _, _) async throws(Problem) in try Backups(dashboard: dashboard).show() },
        APIResource(
            "resumption", .everything(.administer),
            .change(
                .post, "endQuietStart", "Ends a quiet start within a second.",
                .query("discard", .oneOf(["yes", "no"]), "With yes, what has waited is discarded."), audit: .resume,
                answers: .json(202, .object(["quiet": .flag, "discard": .flag]), "The end was requested."))
        ) { (dashboard, _, exchange) async throws(Problem) in try QuietEnd(dashboard: dashboard).create(exchange) },
        APIResource(
            "openapi.json", .anything(.see),
            .get(
                "getDescription", "Returns this description.",
                answers: .json(200, .members, "An OpenAPI 3.1 document."))
        ) { (dashboard, _, _) async throws(Problem) in try .json(APIDescription.document(mount: dashboard.mount)) },
    ]
}

extension APIAnswer {
    /// The notification rules of an operation or of the server, and their newest messages.
    static let rulesAndMessages = APIAnswer.json(
        200,
        .object(
            ["rules": .list(.ref("NotificationRule")), "deliveries": .list(.ref("Delivery"))],
            optional: ["server": .text.orNull]),
        "The rules and messages.")
}
