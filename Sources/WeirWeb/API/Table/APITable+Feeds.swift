import HTTPTypes
import WeirAccess

extension APIResource {
    static let stores: [APIResource] = [
        APIResource(
            "stores", .anything(.see),
            .get(
                "listStores", "Lists the stores that the caller may see.",
                answers: .json(200, .object(["stores": .list(.ref("Store"))]), "The stores."))
        ) { (dashboard, _, _) async throws(Problem) in try StoreList(dashboard: dashboard).list() },
        APIResource(
            "stores/{store}", .store(.see),
            .get(
                "getStore", "Returns a store with its actions and its log.", .moment,
                answers: .json(200, .ref("StoreDetails"), "The store."))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await StoreList(dashboard: dashboard).show(route.id, exchange)
        },
        APIResource(
            "stores/{store}/actions", .store(.act),
            .change(
                .post, "sendAction", "Sends an action to a store.", .idempotencyKey,
                .query("form", .text(0...200), "The name of the form on the store's page that sends the action."),
                body: .fields(.object(["type": .text.described("The name of the action.")])), audit: .act,
                problems: [409, 507], answers: .store(200, "The store after the action."), .unrecordedStore)
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await StoreCommands(dashboard: dashboard).act(on: route.id, exchange)
        },
        APIResource(
            "stores/{store}/state", .store(.restore),
            .change(
                .put, "replaceState",
                "Replaces the state of a store by the body, or with at by the state after a change.",
                .idempotencyKey, .moment,
                body: APIBody(
                    contents: [
                        ("application/json", .anything),
                        ("application/x-www-form-urlencoded", .ref("StateMoment")),
                    ], isRequired: false), audit: .restore, problems: [409, 507],
                answers: .store(200, "The store with its new state."), .unrecordedStore)
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await StoreCommands(dashboard: dashboard).put(into: route.id, exchange)
        },
        APIResource(
            "stores/{store}/reset", .store(.restore),
            .change(
                .post, "resetStore", "Restores the first state of a store.", .idempotencyKey, audit: .reset,
                problems: [409, 507], answers: .store(200, "The store with its first state."), .unrecordedStore)
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await StoreCommands(dashboard: dashboard).reset(route.id, exchange)
        },
    ]

    static let feeds: [APIResource] = [
        APIResource(
            "feeds/{feed}/changes", .feed,
            .get(
                "listChanges", "Returns the changes of a feed after a cursor, oldest first.",
                .query("after", .text(1...60), "The next of the previous answer, or now."),
                .query("limit", .whole(1...FeedChanges.limit), "The maximum number of changes."), .wait, .prefer,
                answers: .json(200, .ref("Changes"), "The changes.", headers: "Preference-Applied"))
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await FeedChanges(dashboard: dashboard).list(route.id, exchange)
        },
        APIResource(
            "streams/{feed}", .feed,
            .get(
                "readStream", "Reads a feed as a Durable Stream.", .offset, .live(["long-poll", "sse"]), .cursor,
                .known, audit: .readOutput, problems: [410],
                answers: APIAnswer(
                    status: 200, text: "Messages after the offset.",
                    contents: [("application/json", .list(.anything)), ("text/event-stream", .text)],
                    headers: APIAnswer.streamHeaders),
                .unchanged, .nothing), checksQuery: true
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await Streams(dashboard: dashboard).read(route.id, isText: false, exchange)
        },
        APIResource(
            "streams/{feed}/text", .feed,
            .get(
                "readOutputText", "Reads the output of a run as a Durable Stream of text.", .offset,
                .live(["long-poll"]), .cursor, .known, audit: .readOutput, problems: [410],
                answers: APIAnswer(
                    status: 200, text: "Text after the offset.", contents: [("text/plain", .text)],
                    headers: APIAnswer.streamHeaders),
                .unchanged, .nothing),
            checksQuery: true
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await Streams(dashboard: dashboard).read(route.id, isText: true, exchange)
        },
        APIResource(
            "streams/reported/{operation}/{run}", .reporting,
            .get(
                "readReport", "Returns the messages of a reported run.", .offset, .known, problems: [410],
                answers: APIAnswer(
                    status: 200, text: "The messages.", contents: [("application/json", .list(.members))],
                    headers: APIAnswer.streamHeaders), .unchanged),
            .change(
                .put, "openReport", "Opens a run that an external program reports.", .lease, .closed,
                body: .json(.object([:], optional: ["title": .text(1...200), "input": .members]), required: false),
                audit: .report, problems: [409, 410, 507],
                answers: .empty(201, "The run is open.", headers: "Location", "Stream-Next-Offset", "Stream-Closed"),
                .empty(200, "The same run was open already.", headers: "Stream-Next-Offset", "Stream-Closed")),
            .change(
                .post, "reportMessages", "Adds states and lines of output to a reported run, or ends it.", .closed,
                .lease, .header("Producer-Id", .text(1...255, pattern: "^[!-~]+$"), "The name of the producer."),
                .header("Producer-Epoch", .whole(from: 0), "The epoch of the producer."),
                .header("Producer-Seq", .whole(from: 0), "The number of the request in the epoch."),
                body: .json(.ref("ReportMessages"), required: false),
                problems: [409, 410, 507],
                answers: .empty(
                    200, "The messages are recorded.", headers: "Stream-Next-Offset", "Stream-Closed",
                    "Producer-Epoch", "Producer-Seq"),
                .empty(
                    204, "The messages are recorded, or were already.", headers: "Stream-Next-Offset",
                    "Stream-Closed", "Producer-Epoch", "Producer-Seq")),
            checksQuery: true
        ) { (dashboard, route, exchange) async throws(Problem) in
            try await ReportStreams(dashboard: dashboard).answer(route.part, of: route.id, exchange)
        },
    ]
}

extension APIParameter {
    fileprivate static let offset = query(
        "offset", .text(1...100), "The Stream-Next-Offset of the previous answer, -1 for the beginning, or now.")
    fileprivate static let cursor = query("cursor", .text(1...40), "The Stream-Cursor of the previous answer.")
    fileprivate static let known = header(
        "If-None-Match", .text, "The ETag of a known answer, which is then answered with 304.")
    fileprivate static let lease = header(
        "Weir-Lease", .whole(1...86_400), "After how many seconds of silence the run ends as failed.")
    fileprivate static let closed = header("Stream-Closed", .oneOf(["true", "false"]), "With true, ends the run.")

    fileprivate static func live(_ modes: [String]) -> APIParameter {
        query("live", .oneOf(modes), "Waits for messages; only with offset.")
    }
}

extension APIAnswer {
    fileprivate static let streamHeaders = [
        "Stream-Next-Offset", "Stream-Up-To-Date", "Stream-Closed", "Stream-Cursor", "ETag",
    ]
    fileprivate static let unchanged = APIAnswer(
        status: 304, text: "The answer is the known one.", headers: streamHeaders)
    fileprivate static let nothing = APIAnswer(
        status: 204, text: "No message has arrived while the request was held.", headers: streamHeaders)
    fileprivate static let unrecordedStore = store(202, "The store has changed, and the change is not recorded yet.")

    fileprivate static func store(_ status: Int, _ text: String) -> APIAnswer {
        json(status, .any(.ref("Store"), .ref("StoreReceipt")), text, headers: "Location")
    }
}
