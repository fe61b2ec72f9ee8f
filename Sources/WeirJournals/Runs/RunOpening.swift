package import WeirStates

/// What a run was started with: recorded with its first change.
package struct RunOpening: Sendable, Hashable, Codable {
    /// Who started it.
    package let actor: String
    /// The input, by the names of the operation's fields.
    package let input: JSONValue
    /// The run that this one retries, if any.
    package let retryOf: String?
    /// The key by which a repeated request finds this run, if its starter sent one.
    package let idempotencyKey: String?

    /// How long the run may take, if that can be estimated from earlier runs.
    package let expected: RunEstimate?
    /// Set where a program elsewhere does the work and reports it; nil for a run that was started here.
    package let report: RunReport?

    /// Creates an opening.
    package init(
        actor: String, input: JSONValue, retryOf: String? = nil, idempotencyKey: String? = nil,
        expected: RunEstimate? = nil, report: RunReport? = nil
    ) {
        self.actor = actor
        self.input = input
        self.retryOf = retryOf
        self.idempotencyKey = idempotencyKey
        self.expected = expected
        self.report = report
    }
}

/// That a run is reported by a program elsewhere, which does its work, and what that program calls it.
package struct RunReport: Sendable, Hashable, Codable {
    /// What a person calls the run, if its reporter says.
    package let title: String?

    /// Makes it of a title.
    package init(title: String? = nil) { self.title = title }
}
