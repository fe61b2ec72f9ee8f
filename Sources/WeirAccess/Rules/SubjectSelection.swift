/// Which operations and stores a role or a grant is about: all of them, or those of certain ids or tags.
public struct SubjectSelection: Hashable, Sendable {
    /// The patterns of operations' ids.
    package let operations: [IDPattern]
    /// The patterns of stores' ids.
    package let stores: [IDPattern]
    /// The tags, one of which an operation or a store must have.
    package let tags: Set<String>
    /// Whether everything is selected, the server as a whole included.
    package let isEverything: Bool

    /// Everything.
    public static let everything = SubjectSelection(operations: [], stores: [], tags: [], isEverything: true)

    /// What has an id of one of the patterns or one of the tags.
    ///
    /// Without any of them, that is nothing.
    public init(operations: [IDPattern] = [], stores: [IDPattern] = [], tags: Set<String> = []) {
        self.init(operations: operations, stores: stores, tags: tags, isEverything: false)
    }

    private init(operations: [IDPattern], stores: [IDPattern], tags: Set<String>, isEverything: Bool) {
        self.operations = operations
        self.stores = stores
        self.tags = tags
        self.isEverything = isEverything
    }

    /// Whether a text can be a tag, or the name of a role: 1 to 64 lower-case letters, digits and hyphens.
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

    /// Whether the selection holds a subject.
    ///
    /// The server as a whole is held only by everything.
    package func contains(_ subject: Subject) -> Bool {
        if isEverything { return true }
        return switch subject.chosenAs {
        case .operation(let id): operations.contains { $0.matches(id) } || !tags.isDisjoint(with: subject.tags)
        case .store(let id): stores.contains { $0.matches(id) } || !tags.isDisjoint(with: subject.tags)
        case .run, .approval, .server: false
        }
    }
}
