import HTTPTypes

/// A resource below `api/v1`.
enum APIRoute: Hashable, Sendable {
    case operations
    case operation(String)
    case operationHealth(String)
    case operationRuns(String)
    case operationUploads(String)
    case operationUpload(operation: String, upload: String)
    case runs
    case run(String)
    case runCancellation(String)
    case runRetries(String)
    case runContinuation(String)
    case runDecision(String)
    case runComparison(String)
    case stores
    case store(String)
    case storeActions(String)
    case storeState(String)
    case storeReset(String)
    case schedules
    case schedule(String)
    case schedulePause(String)
    case scheduleResumption(String)
    case operationTriggers(String)
    case operationNotifications(String)
    case notificationTest(String)
    case runNotifications(String)
    case runOutput(String)
    case runArtifacts(String)
    case runArtifact(run: String, name: String)
    case runExport(String)
    case runsExport
    case imports
    case backups
    case latestBackup
    case notices
    case noticeDismissal(String)
    case resumption
    case feedChanges(String)
    case stream(String)
    case streamText(String)
    case reportedRun(operation: String, run: String)

    init?(_ segments: ArraySlice<String>) {
        let segments = Array(segments)
        switch (segments.count, segments.first, segments.last) {
        case (1, "operations", _): self = .operations
        case (2, "operations", let id?): self = .operation(id)
        case (3, "operations", "health"): self = .operationHealth(segments[1])
        case (3, "operations", "runs"): self = .operationRuns(segments[1])
        case (3, "operations", "uploads"): self = .operationUploads(segments[1])
        case (4, "operations", let upload?) where segments[2] == "uploads":
            self = .operationUpload(operation: segments[1], upload: upload)
        case (3, "operations", "triggers"): self = .operationTriggers(segments[1])
        case (3, "operations", "notifications"): self = .operationNotifications(segments[1])
        case (4, "operations", "test") where segments[2] == "notifications": self = .notificationTest(segments[1])
        case (3, "runs", "notifications"): self = .runNotifications(segments[1])
        case (1, "runs", _): self = .runs
        case (1, "schedules", _): self = .schedules
        case (2, "schedules", let id?): self = .schedule(id)
        case (3, "schedules", "pause"): self = .schedulePause(segments[1])
        case (3, "schedules", "resumption"): self = .scheduleResumption(segments[1])
        case (1, "imports", _): self = .imports
        case (1, "backups", _): self = .backups
        case (2, "backups", "latest"): self = .latestBackup
        case (1, "notices", _): self = .notices
        case (1, "resumption", _): self = .resumption
        case (3, "notices", "dismissal"): self = .noticeDismissal(segments[1])
        case (2, "runs", "export"): self = .runsExport
        case (2, "runs", let id?): self = .run(id)
        case (3, "runs", "artifacts"): self = .runArtifacts(segments[1])
        case (4..., "runs", _) where segments[2] == "artifacts":
            self = .runArtifact(run: segments[1], name: segments.dropFirst(3).joined(separator: "/"))
        case (3, "runs", "export"): self = .runExport(segments[1])
        case (3, "runs", "cancellation"): self = .runCancellation(segments[1])
        case (3, "runs", "retries"): self = .runRetries(segments[1])
        case (3, "runs", "continuation"): self = .runContinuation(segments[1])
        case (3, "runs", "decision"): self = .runDecision(segments[1])
        case (3, "runs", "comparison"): self = .runComparison(segments[1])
        case (1, "stores", _): self = .stores
        case (2, "stores", let id?): self = .store(id)
        case (3, "stores", "actions"): self = .storeActions(segments[1])
        case (3, "stores", "state"): self = .storeState(segments[1])
        case (3, "stores", "reset"): self = .storeReset(segments[1])
        case (3, "runs", "output"): self = .runOutput(segments[1])
        case (3, "feeds", "changes"): self = .feedChanges(segments[1])
        case (2, "streams", let feed?): self = .stream(feed)
        case (3, "streams", "text"): self = .streamText(segments[1])
        case (4, "streams", let run?):
            guard segments[1] == "reported" else { return nil }
            self = .reportedRun(operation: segments[2], run: run)
        default: return nil
        }
    }

    /// The parameters of the query; nil if the route reads them itself.
    var parameters: [String]? {
        switch self {
        case .runs, .runsExport, .operationRuns, .operationUploads, .operationUpload, .stream, .streamText,
            .reportedRun:
            nil
        case .run, .store, .storeState: ["at"]
        case .storeActions: ["form"]
        case .resumption: ["discard"]
        case .runComparison: ["with"]
        case .feedChanges: ["after", "limit", "wait"]
        case .runOutput: ["after", "limit", "wait", "search", "errors"]
        default: []
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .operations, .operation, .runs, .run, .runOutput, .stores, .store, .feedChanges, .notices: [.get, .head]
        case .schedules, .schedule, .runComparison, .runExport, .runsExport, .stream, .streamText: [.get, .head]
        case .runArtifacts, .runArtifact: [.get, .head]
        case .operationHealth, .operationTriggers, .operationNotifications, .runNotifications, .latestBackup:
            [.get, .head]
        case .reportedRun: [.get, .head, .put, .post]
        case .operationRuns, .runCancellation, .runRetries, .runContinuation, .runDecision, .storeActions, .storeReset,
            .imports, .backups, .resumption, .noticeDismissal, .schedulePause, .scheduleResumption, .notificationTest:
            [.post]
        case .storeState: [.put]
        case .operationUploads: [.post, .options]
        case .operationUpload: [.head, .patch, .delete, .options]
        }
    }
}
