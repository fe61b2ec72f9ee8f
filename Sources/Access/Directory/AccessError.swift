import States

/// Why users, tokens or links could not be changed, in a sentence for whoever asked for it.
package struct AccessError: ExplainedError, Hashable {
    /// What kind of reason.
    package enum Kind: Hashable, Sendable { case invalid, missing, conflict, wrong, unavailable }

    package let kind: Kind
    /// What is wrong and what to do.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    static let storage = AccessError(
        .unavailable, "The change could not be saved. Try again; the server's log says more.")
}
