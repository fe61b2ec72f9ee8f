public import States

/// What a run was started with: recorded with its first change.
public struct RunOpening: Sendable, Hashable, Codable {
    /// Who started it.
    public let actor: String
    /// The input, as the operation's fields name it.
    public let input: JSONValue
    /// The run this one tries again, if any.
    public let retryOf: String?
    /// The key under which a repeated request finds this run again, if its starter gave one.
    public let idempotencyKey: String?

    /// How long the run may take, if runs before it tell.
    public let expected: RunEstimate?

    /// Makes an opening.
    public init(
        actor: String, input: JSONValue, retryOf: String? = nil, idempotencyKey: String? = nil,
        expected: RunEstimate? = nil
    ) {
        self.actor = actor
        self.input = input
        self.retryOf = retryOf
        self.idempotencyKey = idempotencyKey
        self.expected = expected
    }
}
