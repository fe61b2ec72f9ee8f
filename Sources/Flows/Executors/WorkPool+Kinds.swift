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
    /// Imports, exports, and the verification of files.
    package static let bulk = WorkPool(niceness: 10)
    /// The reading of operation files, and the check of templates.
    package static let files = WorkPool(niceness: 10)
}
