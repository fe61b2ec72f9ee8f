import HTTPTypes

/// What a URL below `api/v1` names.
enum APIRoute: Hashable, Sendable {
    case operations
    case operation(String)
    case operationRuns(String)
    case runs
    case run(String)
    case runCancellation(String)
    case runRetries(String)
    case feedChanges(String)

    init?(_ segments: ArraySlice<String>) {
        let segments = Array(segments)
        switch (segments.count, segments.first, segments.last) {
        case (1, "operations", _): self = .operations
        case (2, "operations", let id?): self = .operation(id)
        case (3, "operations", "runs"): self = .operationRuns(segments[1])
        case (1, "runs", _): self = .runs
        case (2, "runs", let id?): self = .run(id)
        case (3, "runs", "cancellation"): self = .runCancellation(segments[1])
        case (3, "runs", "retries"): self = .runRetries(segments[1])
        case (3, "feeds", "changes"): self = .feedChanges(segments[1])
        default: return nil
        }
    }

    /// What can be done with it.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .operations, .operation, .runs, .run, .feedChanges: [.get, .head]
        case .operationRuns, .runCancellation, .runRetries: [.post]
        }
    }
}
