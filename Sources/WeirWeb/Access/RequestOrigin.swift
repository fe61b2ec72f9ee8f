import HTTPTypes
import Hummingbird
import Synchronization
import WeirAccess
import WeirPages

/// The origin of a request to Weir's own server, for its audit log.
struct RequestOrigin: Sendable {
    let accounts: Accounts
    /// The client's address, resolved through trusted proxies, and the request's id as in the log.
    let audit: AuditOrigin
    /// Whether the connection is from a trusted proxy.
    let isProxied: Bool

    func header(_ authorization: Authorization) -> PageAccount? { accounts.header(authorization) }

    /// Returns a closure that records an action on one run of a bulk request.
    func recorder(of audited: AuditedRequest) -> @Sendable (AuditAction, String, AuditEntry.Outcome) -> Void {
        { action, run, outcome in
            accounts.directory.audit.record(
                action, by: audited.principal, from: audit, subject: "run:\(run)", outcome: outcome,
                detail: audited.actor.map { "as \($0)" })
        }
    }

    /// Records a request's outcome if its route or its refusal is audited.
    func record(_ request: Request, _ route: Route, _ audited: AuditedRequest, _ response: Response) {
        guard route.requirement != .nothing || route.isHook else { return }
        let status = response.status.code
        var action = route.auditAction(request.method)
        if audited.showsOutput { action = .readOutput }
        let outcome: AuditEntry.Outcome
        if status < 400 {
            outcome = .done
        } else if audited.isAdmitted {
            // Reads of missing resources are not recorded.
            guard ![.get, .head].contains(request.method) else { return }
            outcome = .failed
        } else {
            outcome = .refused
            action = action ?? route.refusedAction
        }
        guard let action else { return }
        // Omit subjects chosen by anonymous senders, which could fill the audit log.
        let subject = audited.subject ?? (audited.principal.kind == .anonymous ? nil : route.auditSubject)
        var details = audited.actor.map { ["as \($0)"] } ?? []
        if [.start, .retry, .trigger].contains(action), let made = response.made { details.append(made) }
        details += audited.notes.all
        if outcome != .done { details.append("\(status)") }
        accounts.directory.audit.record(
            action, by: audited.principal, from: audit, subject: subject, outcome: outcome,
            detail: details.isEmpty ? nil : details.joined(separator: ", "))
    }
}

struct AuditedRequest: Sendable {
    var principal = Principal.anonymous
    /// The actor's name in the journal, if it differs from the principal's.
    var actor: String?
    /// The subject, if the route does not name it; never text from an anonymous sender.
    var subject: String?
    var isAdmitted = false
    var showsOutput = false
    /// What the request is about, as its route found it in the body.
    let notes = AuditNotes()
}

/// Details of a request that only its route knows, for the audit; never text from an anonymous sender.
final class AuditNotes: Sendable {
    private let notes = Mutex<[String]>([])

    var all: [String] { notes.withLock { $0 } }

    /// The number of runs, and the ids of the first three.
    static func words(_ runs: [String]) -> String {
        guard !runs.isEmpty else { return "0 runs" }
        return "\(runs.count) runs (\(runs.prefix(3).joined(separator: " "))\(runs.count > 3 ? " …" : ""))"
    }

    /// Adds a detail, truncated to 200 characters.
    func add(_ note: String) { notes.withLock { $0.append(String(note.prefix(200))) } }
}

extension Response {
    /// The run or upload that the `Location` field names: `run ID` or `upload ID`.
    fileprivate var made: String? {
        let segments = headers[.location]?.split(separator: "/").map(String.init) ?? []
        guard let id = segments.last else { return nil }
        switch segments.dropLast().last {
        case "runs": return "run \(id)"
        case "uploads": return "upload \(id)"
        default: return nil
        }
    }
}

extension Route {
    fileprivate var isHook: Bool { if case .hook = self { true } else { false } }
}

extension Route {
    /// The audit action of an answered request, or nil if it is not audited; no default, so that each new route decides
    /// explicitly.
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
        case .runOutput, .runLines, .runArtifact: .readOutput
        case .runExport, .runsExport: method == .head ? nil : .export
        case .manyRunCancellations: .cancel
        case .manyRunRetries: .retry
        case .manyRunDeletions: .delete
        case .imports: .importRuns
        case .noticeDismissal: .dismissNotice
        case .resumption: .resume
        case .schedulePause: method == .post ? .pauseSchedule : nil
        case .scheduleResumption: .resumeSchedule
        case .acknowledgement: method == .post ? .acknowledge : nil
        case .acknowledgementEnd: .endAcknowledgement
        case .hook: .trigger
        case .notificationTest, .serverNotificationTest: .testNotification
        case .api(let route): route.auditAction(method)
        case .page, .pageAfter, .runChange, .runViews, .pins, .presetForm, .presets, .badge, .widget, .widgetAfter,
            .moments, .comparison,
            .operationHealth, .report, .storeEffect, .viewerName, .schedules, .gallery, .system, .poll, .asset,
            .healthLive,
            .healthReady, .healthConnection, .hello, .metrics, .apiGuide, .assistant:
            nil
        }
    }

    /// The audit action of an upload request; continuing an upload can also start a run.
    private static func uploadAction(_ method: HTTPRequest.Method) -> AuditAction? {
        switch method {
        case .post, .patch: .start
        case .delete: .cancel
        default: nil
        }
    }

    /// The audit action of a refused request that has no action of its own.
    var refusedAction: AuditAction {
        switch requirement {
        case .everything: .administer
        case .reporting: .report
        case .nothing, .anything, .operation, .store, .run, .feed: .see
        }
    }

    var auditSubject: String? {
        if case .api(let route) = self, route.resource.right == .feed { return "feed:\(route.id)" }
        return switch requirement {
        case .operation(_, let id), .reporting(let id): "operation:\(id)"
        case .store(_, let id): "store:\(id)"
        case .run(_, let id): "run:\(id)"
        case .anything, .everything, .feed: "server"
        case .nothing: nil
        }
    }

    var shownRun: String? {
        switch self {
        case .page(.run(let id)), .pageAfter(.run(let id), cursor: _): id
        default: nil
        }
    }
}
