import WeirStates

/// An operation's `perform` returned in a state that is no end: a mistake of its author.
package struct OperationLeftUnfinished: ExplainedError, Sendable, Hashable {
    /// The operation's type.
    package let operation: String
    /// The state it was left in, as Swift prints it, cut to 200 characters.
    package let state: String

    /// Creates an error.
    package init(operation: String, state: String) {
        self.operation = operation
        self.state = String(state.prefix(200))
    }

    /// What is wrong and how to put it right, in a sentence.
    package var description: String {
        "\(operation).perform returned in the state \(state), which is no end: set a state whose phase is succeeded or "
            + "failed before returning, or throw."
    }
}
