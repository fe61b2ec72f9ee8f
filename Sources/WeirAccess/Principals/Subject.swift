/// Something that rights are about: an operation or a store with its tags, a run, or the server as a whole.
package struct Subject: Hashable, Sendable, Identifiable {
    /// What names a subject.
    package enum ID: Hashable, Sendable {
        /// The operation of that id, with all its runs.
        case operation(String)
        /// The store of that id.
        case store(String)
        /// One run, apart from its operation: what a link opens.
        case run(String)
        /// A decision that an operation asks people for at one of its steps.
        case approval(operation: String, step: String)
        /// The server as a whole: what belongs to no operation and no store, and what belongs to all.
        case server
    }

    /// What names it.
    package let id: ID
    /// Its tags, by which roles may choose it.
    package let tags: Set<String>
    /// What selections take it for: a part of an operation is chosen with the whole.
    package let chosenAs: ID
    /// Who alone may act on it, of those who may by their roles; nil for all of these.
    package let deciders: [Decider]?

    /// Makes a subject.
    package init(_ id: ID, tags: Set<String> = []) {
        self.init(id, tags: tags, chosenAs: id)
    }

    /// Makes a subject that selections take for another one, and on which only some may act.
    package init(_ id: ID, tags: Set<String>, chosenAs: ID, deciders: [Decider]? = nil) {
        self.id = id
        self.tags = tags
        self.chosenAs = chosenAs
        self.deciders = deciders
    }
}
