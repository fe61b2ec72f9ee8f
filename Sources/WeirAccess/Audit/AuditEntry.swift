package import WeirStates

/// One thing that somebody did, or was refused.
package struct AuditEntry: Hashable, Sendable {
    /// What became of it.
    package enum Outcome: String, CaseIterable, Sendable {
        /// It was done.
        case done
        /// It was refused, as the principal may not do it or is not the one it claims to be.
        case refused
        /// It was allowed and failed.
        case failed
    }

    /// When, in milliseconds since 1970; of entries counted together, the first time.
    package var at: Int64
    /// Who: what makes the principal the same one, with its kind.
    package var principal: String
    /// The name of the principal as people know it.
    package var name: String
    /// The address that the request came from.
    package var address: String?
    /// What was done or tried.
    package var action: AuditAction
    /// To what: `operation:deploy`, `store:todo`, `run:01j…`, `user:ana`.
    package var subject: String?
    /// What became of it.
    package var outcome: Outcome
    /// The id of the request, as the log has it.
    package var request: String?
    /// More, in words for an operator.
    package var detail: String?
    /// How often: refusals of the same kind are counted together.
    package var count: Int64
    /// The last time of those counted together, in milliseconds since 1970.
    package var until: Int64?

    /// Makes an entry.
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

    /// How long a text of an entry may be, in Unicode scalars.
    static let textLimit = 500

    /// The entry as the members of a JSON object, with its number.
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

    /// Reads what `json` wrote; nil for anything else.
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

/// An entry with its place in the audit.
package struct AuditRecord: Hashable, Sendable {
    /// Its number, from 1, without gaps.
    package let number: Int64
    /// The entry.
    package let entry: AuditEntry
}
