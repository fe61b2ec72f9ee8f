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
        /// The server as a whole: what belongs to no operation and no store, and what belongs to all.
        case server
    }

    /// What names it.
    package let id: ID
    /// Its tags, by which roles may choose it.
    package let tags: Set<String>

    /// Makes a subject.
    package init(_ id: ID, tags: Set<String> = []) {
        self.id = id
        self.tags = tags
    }
}
