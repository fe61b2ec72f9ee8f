package import WeirStates

/// Why users, tokens or links could not be changed, in a sentence for whoever asked for it.
package struct AccessError: ExplainedError, Hashable {
    /// What kind of reason.
    package enum Kind: Hashable, Sendable { case invalid, missing, conflict, wrong, unavailable }

    package let kind: Kind
    /// What is wrong and what to do.
    package let message: Message

    /// The same in English.
    package var description: String { message.description }

    package init(_ kind: Kind, _ message: Message) {
        self.kind = kind
        self.message = message
    }

    package init(_ kind: Kind, _ wording: AccessWording, _ values: [String: Message.Value] = [:]) {
        self.init(kind, Message(wording, values))
    }

    /// For programs and command lines, which are told in English.
    package init(_ kind: Kind, _ description: String) { self.init(kind, Message(verbatim: description)) }

    static let storage = AccessError(.unavailable, .notSaved)
}
