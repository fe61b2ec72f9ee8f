/// What the audit records that somebody did, or tried to do.
package enum AuditAction: String, CaseIterable, Sendable {
    case start, retry, cancel, decide, act, restore, reset, export, report
    case importRuns = "import"
    case readOutput = "read-output"
    case see
    case pauseSchedule = "pause-schedule"
    case resumeSchedule = "resume-schedule"
    case trigger
    case testNotification = "test-notification"
    case dismissNotice = "dismiss-notice"
    case signIn = "sign-in"
    case signOut = "sign-out"
    case setUp = "set-up"
    case addUser = "add-user"
    case removeUser = "remove-user"
    case changeRoles = "change-roles"
    case changePassword = "change-password"
    case createToken = "create-token"
    case revokeToken = "revoke-token"
    case createLink = "create-link"
    case revokeLink = "revoke-link"
    case openLink = "open-link"
    case readAudit = "read-audit"
    case exportAudit = "export-audit"
    case administer
    /// A setting in force differs from the one before, or settings that were read again were refused.
    case changeSettings = "change-settings"
    /// A removal of old runs was announced.
    case announceRemoval = "announce-removal"
    /// An announced removal is no longer due.
    case withdrawRemoval = "withdraw-removal"
    /// An announced removal was carried out.
    case removeRuns = "remove-runs"
    /// The server began to write, or its last line was cut short and is missing.
    case open
    /// Entries that could not be written and are missing; their number is the entry's count.
    case lose
}
