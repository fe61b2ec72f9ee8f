import Logging
package import WeirStates

/// One recorded action, or several of the same kind merged.
package struct AuditEntry: Hashable, Sendable {
    package enum Outcome: String, CaseIterable, Sendable {
        case done
        /// The principal lacked the permission or could not be authenticated.
        case refused
        /// The action was allowed and failed.
        case failed
    }

    /// The time of the action, or of the first merged one, in milliseconds since 1970.
    package var at: Int64
    package var principal: String
    package var name: String
    package var address: String?
    package var action: AuditAction
    /// The subject, such as `operation:deploy`, `store:todo`, `run:01j…` or `user:ana`.
    package var subject: String?
    package var outcome: Outcome
    package var request: String?
    package var detail: String?
    package var count: Int64
    /// The time of the last merged action, in milliseconds since 1970.
    package var until: Int64?

    package init(
        at: Int64, principal: Principal, address: String? = nil, _ action: AuditAction, subject: String? = nil,
        outcome: Outcome = .done, request: String? = nil, detail: String? = nil, count: Int64 = 1
    ) {
        self.at = at
        self.principal = principal.key
        name = principal.name
        self.address = address
        self.action = action
        self.subject = subject
        self.outcome = outcome
        self.request = request
        self.detail = detail
        self.count = count
    }

    /// The maximum length of a text field, in Unicode scalars; longer texts are truncated.
    static let textLimit = 500

    package func json(number: Int64) -> JSONValue {
        var members: [String: JSONValue] = [
            "n": .integer(number), "at": .integer(at), "principal": Self.text(principal), "name": Self.text(name),
            "action": .string(action.rawValue), "outcome": .string(outcome.rawValue),
        ]
        members["address"] = address.map(Self.text)
        members["subject"] = subject.map(Self.text)
        members["request"] = request.map(Self.text)
        members["detail"] = detail.map(Self.text)
        if count != 1 { members["count"] = .integer(count) }
        members["until"] = until.map(JSONValue.integer)
        return .object(members)
    }

    /// Decodes an entry written by ``json(number:)``; nil if the JSON is malformed.
    init?(_ json: JSONValue) {
        guard let at = json["at"]?.integer, let principal = json["principal"]?.string, let name = json["name"]?.string,
            let action = json["action"]?.string.flatMap(AuditAction.init),
            let outcome = json["outcome"]?.string.flatMap(Outcome.init)
        else { return nil }
        self.at = at
        self.principal = principal
        self.name = name
        self.action = action
        self.outcome = outcome
        address = json["address"]?.string
        subject = json["subject"]?.string
        request = json["request"]?.string
        detail = json["detail"]?.string
        count = json["count"]?.integer ?? 1
        until = json["until"]?.integer
    }

    private static func text(_ text: String) -> JSONValue {
        let scalars = text.unicodeScalars.prefix(textLimit + 1)
        guard scalars.count > textLimit else { return .string(text) }
        return .string(String(String.UnicodeScalarView(scalars.prefix(textLimit))) + "…")
    }
}

extension AuditEntry {
    /// Writes the entry to the server's log, too: at `notice` what changes rights and failed sign-ins, else at `trace`.
    func log(to logger: Logger) {
        guard logger.logLevel <= logLevel else { return }
        var metadata: Logger.Metadata = ["principal": "\(Quoted(principal))"]
        metadata["subject"] = subject.map { "\(Quoted($0))" }
        metadata["address"] = address.map { "\(Quoted($0))" }
        metadata["request"] = request.map { "\($0)" }
        logger.log(level: logLevel, "\(action.rawValue): \(outcome.rawValue)", metadata: metadata)
    }

    private var logLevel: Logger.Level {
        switch action {
        case .signIn: outcome == .done ? .trace : .notice
        case .setUp, .addUser, .removeUser, .changeRoles, .changePassword, .passwordLink, .requirePasswordChange,
            .secondFactor,
            .createToken, .revokeToken, .createLink, .revokeLink:
            // A flood of refused requests would hide the changes.
            outcome == .refused ? .trace : .notice
        default: .trace
        }
    }
}

package struct AuditRecord: Hashable, Sendable {
    /// The number, counted from 1 without gaps.
    package let number: Int64
    package let entry: AuditEntry
}

package enum AuditAction: String, CaseIterable, Sendable {
    case start, retry, cancel, delete, decide, act, restore, reset, export, report
    case importRuns = "import"
    case readOutput = "read-output"
    case see
    case pauseSchedule = "pause-schedule"
    case resumeSchedule = "resume-schedule"
    case acknowledge
    case endAcknowledgement = "end-acknowledgement"
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
    /// A link that sets a user's password was made or revoked.
    case passwordLink = "password-link"
    case requirePasswordChange = "require-password-change"
    /// A second factor was set up or removed, or its recovery codes were replaced.
    case secondFactor = "second-factor"
    case createToken = "create-token"
    case revokeToken = "revoke-token"
    case createLink = "create-link"
    case revokeLink = "revoke-link"
    case openLink = "open-link"
    case endSession = "end-session"
    /// All sessions, tokens and links of a person were ended.
    case endAccess = "end-access"
    case readAudit = "read-audit"
    case exportAudit = "export-audit"
    case administer
    case backUp = "back-up"
    /// A quiet start was ended.
    case resume
    case setSecret = "set-secret"
    case removeSecret = "remove-secret"
    /// The effective settings changed, or a reload was refused.
    case changeSettings = "change-settings"
    case announceRemoval = "announce-removal"
    /// An announced removal was cancelled.
    case withdrawRemoval = "withdraw-removal"
    case removeRuns = "remove-runs"
    /// The server opened the audit, possibly after removing an incomplete last line.
    case open
    /// Entries were lost because they could not be written; the entry's count is their number.
    case lose
}

package struct AuditOrigin: Hashable, Sendable {
    package let address: String?
    package let request: String?

    package static let none = AuditOrigin(address: nil)

    package init(address: String?, request: String? = nil) {
        self.address = address
        self.request = request
    }
}
