import HTTPTypes
import WeirAccess

extension APIResource {
    static let operations: [APIResource] = [
        APIResource(
            "operations", .anything(.see),
            .get(
                "listOperations", "Lists the operations that the caller may see.",
                answers: .json(200, .object(["operations": .list(.ref("Operation"))]), "The operations."))
        ) { (dashboard, _, _) async throws(Problem) in try OperationList(dashboard: dashboard).list() },
        APIResource(
            "operations/{operation}", .operation(.see),
            .get(
                "getOperation", "Returns an operation with its fields.",
                answers: .json(200, .ref("Operation"), "The operation."))
        ) { (dashboard, route, _) async throws(Problem) in try OperationList(dashboard: dashboard).show(route.id) },
        APIResource(
            "operations/{operation}/health", .operation(.see),
            .get(
                "getOperationHealth", "Returns the statistics of an operation's newest runs.",
                answers: .json(200, .ref("OperationHealth"), "The statistics."))
        ) { (dashboard, route, _) async throws(Problem) in try await HealthPage(dashboard: dashboard).list(route.id) },
        APIResource(
            "operations/{operation}/acknowledgement", .operation(.start),
            .change(
                .post, "acknowledgeFailures",
                "Takes the failures of an operation off the lists of what needs a person.",
                body: .fields(
                    .object([:], optional: ["note": .text(0...200), "hours": .whole(1...8_760)]), required: false),
                audit: .acknowledge, problems: [409, 507],
                answers: .json(200, .object(["acknowledged": .ref("Acknowledgement")]), "The acknowledgement."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await Acknowledging(dashboard: dashboard).create(of: route.id, exchange)
        },
        APIResource(
            "operations/{operation}/acknowledgement/end", .operation(.start),
            .change(
                .post, "endAcknowledgement", "Lists the failures of an operation again.", audit: .endAcknowledgement,
                problems: [409, 507],
                answers: .json(200, .object(["acknowledged": .anything]), "There is none any more."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await Acknowledging(dashboard: dashboard).end(of: route.id, exchange)
        },
        APIResource(
            "operations/{operation}/runs", .operation(.start),
            .change(
                .post, "startRun", "Starts a run of an operation.",
                .idempotencyKey,
                .query("filename", .text, "The name of the file, if the body is the file alone."),
                .header("Upload-Length", .whole(from: 0), "The length of the file in a form, in bytes."),
                body: .input, audit: .start, problems: [409, 410, 507],
                answers: .run(201, "The run exists and is recorded."), .run(200, "The active run that was joined."),
                .unrecordedRun),
            checksQuery: true
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await RunStarts(dashboard: dashboard).create(of: route.id, exchange)
        },
        APIResource(
            "operations/{operation}/uploads", .operation(.start),
            .change(
                .post, "createUpload", "Creates a resumable upload (tus 1.0), and starts the run that reads it.",
                .tus, .header("Upload-Length", .whole(from: 0), "The length of the file in bytes.", required: true),
                .header(
                    "Upload-Metadata", .text(0...8_192),
                    "Keys and Base64 values: filename, filetype and the operation's fields."),
                .idempotencyKey, audit: .start, problems: [409, 412, 507],
                answers: APIAnswer(
                    status: 201, text: "The upload exists.",
                    contents: [("application/json", .any(.ref("Run"), .ref("RunReceipt")))],
                    headers: ["Location", "Tus-Resumable", "Upload-Offset", "Upload-Expires"])),
            .uploadOptions("getUploadOptions"),
            checksQuery: true
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await TusRoutes(dashboard: dashboard, operation: route.id).answerAll(exchange)
        },
        APIResource(
            "operations/{operation}/uploads/{upload}", .operation(.start),
            .change(
                .head, "getUpload", "Returns the number of bytes that an upload has.", .tus, problems: [410, 412],
                answers: .empty(
                    200, "The upload.", headers: "Tus-Resumable", "Upload-Offset", "Upload-Length", "Upload-Metadata",
                    "Upload-Expires")),
            .change(
                .patch, "continueUpload", "Appends bytes to an upload.", .tus,
                .header("Upload-Offset", .whole(from: 0), "The number of bytes that the upload has.", required: true),
                .header("Upload-Checksum", .text(1...200), "sha1 or sha256, and the Base64 digest of these bytes."),
                body: APIBody(contents: [("application/offset+octet-stream", .bytes)]), audit: .start,
                problems: [409, 410, 412, 460, 507],
                answers: .empty(
                    204, "The bytes are taken.", headers: "Tus-Resumable", "Upload-Offset", "Upload-Expires")),
            .change(
                .delete, "endUpload", "Ends an upload and cancels its run.", .tus, audit: .cancel,
                problems: [410, 412], answers: .empty(204, "The upload has ended.", headers: "Tus-Resumable")),
            .uploadOptions("getOptionsOfUpload"),
            checksQuery: true
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await TusRoutes(dashboard: dashboard, operation: route.id).answer(route.part, exchange)
        },
        APIResource(
            "operations/{operation}/triggers", .operation(.administer),
            .get(
                "listTriggers", "Lists the triggers of an operation, and the newest requests to them.",
                answers: .json(
                    200,
                    .object(
                        ["triggers": .list(.ref("Trigger")), "requests": .list(.ref("TriggerRequest"))],
                        optional: ["server": .text.orNull]),
                    "The triggers and requests."))
        ) { (dashboard, route, _) async throws(Problem) in try await HookPages(dashboard: dashboard).triggers(route.id)
        },
        APIResource(
            "operations/{operation}/notifications", .operation(.see),
            .get(
                "listNotifications", "Lists the notification rules of an operation, and the newest messages.",
                answers: .rulesAndMessages)
        ) { (dashboard, route, _) async throws(Problem) in try await HookPages(dashboard: dashboard).list(route.id) },
        APIResource(
            "operations/{operation}/notifications/test", .operation(.start),
            .change(
                .post, "testNotifications", "Sends a test message with each notification rule of an operation.",
                audit: .testNotification, problems: [409],
                answers: .json(202, .object(["deliveries": .list(.ref("Delivery"))]), "The messages are queued."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await HookPages(dashboard: dashboard).test(route.id, exchange)
        },
    ]
}

extension APIParameter {
    fileprivate static let tus = header(
        "Tus-Resumable", .oneOf(["1.0.0"]), "The version of the tus protocol.", required: true)
}

extension APIMethod {
    fileprivate static func uploadOptions(_ name: String) -> APIMethod {
        .change(
            .options, name, "Returns the version, extensions and limits of resumable uploads.",
            answers: .empty(
                204, "The header fields describe the uploads.", headers: "Tus-Resumable", "Tus-Version",
                "Tus-Extension", "Tus-Checksum-Algorithm", "Tus-Max-Size"))
    }
}
