extension WorkPool {
    // One pool for each kind, so that no kind waits for another. `Documentation/limits.md` lists what runs in each.

    /// Patterns of operations, held against what programs print and what people enter.
    package static let patterns = WorkPool()
    /// The rendering and comparing of pages that can be long: gallery, comparisons, searches, Markdown.
    package static let pages = WorkPool()
    /// Imports, exports, and the verification of files.
    package static let bulk = WorkPool(niceness: 10)
    /// The reading of operation files, and the check of templates.
    package static let files = WorkPool(niceness: 10)
    /// The reading of answers of other servers: JSON of requests, feeds and choices.
    package static let answers = WorkPool()
}
