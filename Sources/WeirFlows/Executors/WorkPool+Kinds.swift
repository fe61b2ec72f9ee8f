extension WorkPool {
    // One pool for each kind, so that no kind waits for another. `Documentation/limits.md` lists what runs in each.

    /// The lines of programs whose operations have patterns.
    package static let patterns = WorkPool()
    /// The lines of programs whose operations have none.
    package static let lines = WorkPool()
    /// Patterns of inputs, held against what people enter.
    package static let inputs = WorkPool()
    /// The rendering and comparing of pages that can be long: gallery, comparisons, searches, Markdown.
    package static let pages = WorkPool()
    /// The pages that are followed live, and what brings them up to date: each is rendered once for all who are shown the same.
    ///
    /// Not of lower priority: viewers of a busy server would fall behind its changes.
    package static let documents = WorkPool(niceness: 0)
    /// The reading of requests' bodies that are large.
    package static let bodies = WorkPool()
    /// Searches in a journal's file, which has more connections than this has threads.
    package static let searches = WorkPool(threads: 3, room: 100)
    /// Imports, exports, and the verification of files.
    package static let bulk = WorkPool(niceness: 10)
    /// The look-up of names: a resolver that does not answer keeps its threads for as long as the system waits.
    package static let names = WorkPool(threads: 16, room: 1_000)
    /// The reading of operation files, and the check of templates.
    package static let files = WorkPool(niceness: 10)
    /// The reading of answers of other servers: JSON of requests, feeds and choices.
    package static let answers = WorkPool()
}
