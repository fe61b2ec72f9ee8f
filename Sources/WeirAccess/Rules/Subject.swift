/// The object of a permission: an operation or store with its tags, a run, an approval, or the server.
package struct Subject: Hashable, Sendable, Identifiable {
    package enum ID: Hashable, Sendable {
        case operation(String)
        case store(String)
        /// A single run, independent of its operation: the target of a link.
        case run(String)
        /// A decision that an operation requests at one of its steps.
        case approval(operation: String, step: String)
        /// The server: everything that belongs to no single operation or store.
        case server
    }

    package let id: ID
    /// The tags that selections match.
    let tags: Set<String>
    /// The id that selections match: a part of an operation is selected with it.
    let chosenAs: ID
    /// The principals that can act on it, in addition to the verb; nil for no restriction.
    let deciders: [Decider]?

    package init(_ id: ID, tags: Set<String> = []) {
        self.init(id, tags: tags, chosenAs: id)
    }

    /// Creates a subject that selections match as another one, optionally restricted to deciders.
    package init(_ id: ID, tags: Set<String>, chosenAs: ID, deciders: [Decider]? = nil) {
        self.id = id
        self.tags = tags
        self.chosenAs = chosenAs
        self.deciders = deciders
    }
}

/// Selects operations and stores by id or tag, or everything.
public struct SubjectSelection: Hashable, Sendable {
    let operations: [IDPattern]
    let stores: [IDPattern]
    /// A subject must have at least one of these tags.
    let tags: Set<String>
    /// Whether everything is selected, including the server.
    let isEverything: Bool

    /// Selects everything, including the server.
    public static let everything = SubjectSelection(operations: [], stores: [], tags: [], isEverything: true)

    /// Selects subjects that match one of the patterns or have one of the tags.
    ///
    /// Without patterns and tags, selects nothing.
    public init(operations: [IDPattern] = [], stores: [IDPattern] = [], tags: Set<String> = []) {
        self.init(operations: operations, stores: stores, tags: tags, isEverything: false)
    }

    private init(operations: [IDPattern], stores: [IDPattern], tags: Set<String>, isEverything: Bool) {
        self.operations = operations
        self.stores = stores
        self.tags = tags
        self.isEverything = isEverything
    }

    /// Returns whether a text is a valid tag or role name: 1 to 64 lower-case letters, digits and hyphens.
    package static func isTag(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Returns whether a subject is selected; the server is selected only by `everything`.
    func contains(_ subject: Subject) -> Bool {
        if isEverything { return true }
        return switch subject.chosenAs {
        case .operation(let id): operations.contains { $0.matches(id) } || !tags.isDisjoint(with: subject.tags)
        case .store(let id): stores.contains { $0.matches(id) } || !tags.isDisjoint(with: subject.tags)
        case .run, .approval, .server: false
        }
    }
}
