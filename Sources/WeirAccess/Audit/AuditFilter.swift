import Foundation

/// Which entries of the audit somebody wants to see.
package struct AuditFilter: Hashable, Sendable {
    /// Only of principals whose name or key contains this, in any case.
    package var principal: String?
    /// Only of this action.
    package var action: AuditAction?
    /// Only of this outcome.
    package var outcome: AuditEntry.Outcome?
    /// Only of subjects that contain this.
    package var subject: String?

    /// Makes a filter; without parts everything passes.
    package init(
        principal: String? = nil, action: AuditAction? = nil, outcome: AuditEntry.Outcome? = nil,
        subject: String? = nil
    ) {
        self.principal = principal
        self.action = action
        self.outcome = outcome
        self.subject = subject
    }

    func matches(_ entry: AuditEntry) -> Bool {
        if let action, entry.action != action { return false }
        if let outcome, entry.outcome != outcome { return false }
        if let subject, entry.subject?.range(of: subject, options: .caseInsensitive) == nil { return false }
        guard let principal else { return true }
        return entry.name.range(of: principal, options: .caseInsensitive) != nil
            || entry.principal.range(of: principal, options: .caseInsensitive) != nil
    }
}

/// Some entries of the audit, the newest first.
package struct AuditPage: Sendable {
    /// The entries.
    package let records: [AuditRecord]
    /// Before which number to look on for older ones; nil when there are none.
    package let older: Int64?
}
