import WeirJournals
import WeirPages
import WeirStates

extension APIResource {
    /// All resources of the API, in the order of their description.
    ///
    /// The first one whose path matches applies, so a fixed segment precedes a parameter in the same place.
    static let table: [APIResource] = operations + runs + runCommands + stores + feeds + schedules + server
}

// MARK: Parameters of several methods

extension APIParameter {
    static let moment = query(
        "at", .whole(from: 1), "The sequence of a change: shows the subject as it was after that change.")
    static let idempotencyKey = header(
        "Idempotency-Key", .text(1...255, pattern: "^[!-~]+$"),
        "Makes the request safe to repeat: a repeated request with the same key does nothing twice.")
    static let prefer = header(
        "Prefer", .text, "With wait=N, holds the request for at most N seconds, as the parameter wait does.")
    static let wait = query(
        "wait", .whole(0...FeedChanges.longestWait), "Holds the request for at most this many seconds.")
    static let afterLine = query("after", .whole(from: 0), "The number of a line: shows the lines after it.")

    /// The filters of a list of runs; an empty value is no filter.
    static let filters: [APIParameter] = [
        query("operation", .text, "The id of an operation."),
        query("phase", .oneOf(APISchema.phases + [""]), "The phase of the runs."),
        query("actor", .text, "The actor who started the runs; me for the caller."),
        query("text", .text(0...500), "Words in the runs' inputs, states and messages."),
        query("from", .text, "The earliest start, in ISO 8601; empty for none."),
        query("startedAfter", .text, "Another name of from."),
        query("to", .text, "The latest start, in ISO 8601; empty for none."),
        query("startedBefore", .text, "The latest start, exclusive."),
        query("within", .oneOf(RunFilter.spans.map(\.key) + [""]), "The longest time since the start."),
        query("attempt", .text(pattern: "^(>?[1-9][0-9]{0,6})?$"), "The attempt of the runs; >1 for all retries."),
        query(
            "sort", .oneOf(RunOrder.allCases.flatMap { [$0.rawValue, "-" + $0.rawValue] } + [""]),
            "The order; descending after a hyphen."),
        query("before", .whole(from: 1), "The next of the previous page; only with the newest first."),
        query("beyond", .text(0...100), "The beyond of the previous page, in any order."),
        query(
            "limit", .whole(RunFilter.limits.lowerBound...RunFilter.limits.upperBound), "The runs of a page."),
    ]
}

extension APIBody {
    static let input = APIBody(
        contents: [
            ("application/json", .members.described("The operation's inputSchema describes its members.")),
            ("application/x-www-form-urlencoded", .members),
            ("multipart/form-data", .members),
            ("application/octet-stream", .bytes),
        ], isRequired: false)
}

extension APISchema {
    static let phases = Phase.allCases.map(\.rawValue)
    static let bytes = APISchema(value: ["type": "string", "format": "binary"])
}

extension APIAnswer {
    static func run(_ status: Int, _ text: String) -> APIAnswer {
        json(status, .any(.ref("Run"), .ref("RunReceipt")), text, headers: "Location")
    }

    static let unrecordedRun = run(202, "The run has started and is not recorded yet.")
}
