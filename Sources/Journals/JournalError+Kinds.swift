extension JournalError {
    /// For output of a run that is not kept.
    package static func unknownRun(_ id: String) -> JournalError {
        JournalError(.outOfOrder, "Run \(id) is not in the journal, so its output has no place.")
    }
}
