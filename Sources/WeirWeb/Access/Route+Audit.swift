import HTTPTypes
import WeirAccess

extension Route {
    /// What the audit calls a request that is answered; nil for one that it does not have.
    ///
    /// There is no default: who adds a route says here whether it is written down who asked.
    func auditAction(_ method: HTTPRequest.Method) -> AuditAction? {
        switch self {
        case .operationRuns: .start
        case .operationUploads, .operationUpload: Self.uploadAction(method)
        case .runCancellation: .cancel
        case .runRetries, .runContinuation: .retry
        case .runDecision: .decide
        case .storeActions: .act
        case .storeState: .restore
        case .storeReset: .reset
        case .runOutput: .readOutput
        case .runExport, .runsExport: method == .head ? nil : .export
        case .manyRunCancellations: .cancel
        case .manyRunRetries: .retry
        case .imports: .importRuns
        case .noticeDismissal: .dismissNotice
        case .schedulePause: .pauseSchedule
        case .scheduleResumption: .resumeSchedule
        case .hook: .trigger
        case .notificationTest: .testNotification
        case .api(let route): route.auditAction(method)
        case .page, .pageAfter, .runChange, .runViews, .pins, .badge, .widget, .widgetAfter, .moments, .comparison,
            .operationHealth, .storeEffect, .viewerName, .schedules, .gallery, .system, .poll, .asset, .healthLive,
            .healthReady, .hello:
            nil
        }
    }

    /// What the audit calls a request for an upload: one that continues may start a run, too.
    fileprivate static func uploadAction(_ method: HTTPRequest.Method) -> AuditAction? {
        switch method {
        case .post, .patch: .start
        case .delete: .cancel
        default: nil
        }
    }

    /// What the audit calls a request that is refused and has no name of its own.
    var refusedAction: AuditAction {
        switch requirement {
        case .everything: .administer
        case .reporting: .report
        case .nothing, .anything, .operation, .store, .run, .feed: .see
        }
    }

    /// What the audit says it was about.
    var auditSubject: String? {
        if case .api(.stream(let feed)) = self { return "feed:\(feed)" }
        if case .api(.streamText(let feed)) = self { return "feed:\(feed)" }
        return switch requirement {
        case .operation(_, let id), .reporting(let id): "operation:\(id)"
        case .store(_, let id): "store:\(id)"
        case .run(_, let id): "run:\(id)"
        case .anything, .everything, .feed: "server"
        case .nothing: nil
        }
    }

    /// The run whose page it is.
    var shownRun: String? {
        switch self {
        case .page(.run(let id)), .pageAfter(.run(let id), cursor: _): id
        default: nil
        }
    }
}

extension APIRoute {
    fileprivate func auditAction(_ method: HTTPRequest.Method) -> AuditAction? {
        switch self {
        case .operationRuns: .start
        case .operationUploads, .operationUpload: Route.uploadAction(method)
        case .runCancellation: .cancel
        case .runRetries, .runContinuation: .retry
        case .runDecision: .decide
        case .storeActions: .act
        case .storeState: .restore
        case .storeReset: .reset
        case .runOutput: .readOutput
        case .runExport, .runsExport: method == .head ? nil : .export
        case .imports: .importRuns
        case .noticeDismissal: .dismissNotice
        case .schedulePause: .pauseSchedule
        case .scheduleResumption: .resumeSchedule
        case .notificationTest: .testNotification
        // A run that is reported begins with a PUT; what is reported of it is in the journal.
        case .reportedRun: method == .put ? .report : nil
        case .stream(let feed), .streamText(let feed): feed.hasPrefix("output-") ? .readOutput : nil
        case .operations, .operation, .operationHealth, .runs, .run, .runComparison, .stores, .store, .schedules,
            .schedule, .notices,
            .feedChanges, .operationTriggers, .operationNotifications, .runNotifications:
            nil
        }
    }
}
