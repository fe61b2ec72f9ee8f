import HTTPTypes
import Hummingbird
import WeirAccess
import WeirPages

/// Where a request comes from, and where it is written down what came of it: known to a server of our own.
struct RequestOrigin: Sendable {
    let accounts: Accounts
    /// The address that it comes from, behind trusted proxies too, and its id, as the log has it.
    let audit: AuditOrigin

    /// Who asks, for the header of pages.
    func header(_ authorization: Authorization) -> PageAccount? { accounts.header(authorization) }

    /// What writes down what was done to one of many runs.
    func recorder(of audited: AuditedRequest) -> @Sendable (AuditAction, String, AuditEntry.Outcome) -> Void {
        { action, run, outcome in
            accounts.directory.audit.record(
                action, by: audited.principal, from: audit, subject: "run:\(run)", outcome: outcome,
                detail: audited.actor.map { "as \($0)" })
        }
    }

    /// Writes down what came of a request, if it is one of those that the audit has.
    func record(_ request: Request, _ route: Route, _ audited: AuditedRequest, _ response: Response) {
        guard route.requirement != .nothing || route.isHook else { return }
        let status = response.status.code
        var action = route.auditAction(request.method)
        if audited.showsOutput { action = .readOutput }
        let outcome: AuditEntry.Outcome
        if status < 400 {
            outcome = .done
        } else if audited.isAdmitted {
            // Nothing came of looking at something that there is not.
            guard ![.get, .head].contains(request.method) else { return }
            outcome = .failed
        } else {
            outcome = .refused
            action = action ?? route.refusedAction
        }
        guard let action else { return }
        // What a stranger asks for is of a stranger's making, and must not fill the audit.
        let subject = audited.subject ?? (audited.principal.kind == .anonymous ? nil : route.auditSubject)
        var details = audited.actor.map { ["as \($0)"] } ?? []
        if [.start, .retry, .trigger].contains(action),
            let run = response.headers[.location]?.split(separator: "/").last
        {
            details.append("run \(run)")
        }
        if outcome != .done { details.append("\(status)") }
        accounts.directory.audit.record(
            action, by: audited.principal, from: audit, subject: subject, outcome: outcome,
            detail: details.isEmpty ? nil : details.joined(separator: ", "))
    }
}

/// What is known of a request for the audit when it is answered.
struct AuditedRequest: Sendable {
    /// Who sent it.
    var principal = Principal.anonymous
    /// The name that is recorded as who did it, where that is another's.
    var actor: String?
    /// What it was about, where the route does not say; nothing that a stranger chose.
    var subject: String?
    /// Whether the sender has the right to it.
    var isAdmitted = false
    /// Whether the answer is a page with lines that a run printed.
    var showsOutput = false
}

extension Route {
    fileprivate var isHook: Bool { if case .hook = self { true } else { false } }
}
