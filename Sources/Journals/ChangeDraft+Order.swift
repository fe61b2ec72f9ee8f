extension ChangeDraft {
    /// Throws unless this draft follows the last revision of its stream, nil being a stream without changes.
    package func check(follows last: Int64?) throws(JournalError) {
        guard revision == (last ?? -1) + 1 else {
            throw JournalError(
                .outOfOrder,
                "Revision \(revision) of \(stream) does not follow \(last.map { "revision \($0)" } ?? "nothing").")
        }
        let needsOpening = if case .run = stream { revision == 0 } else { false }
        guard needsOpening == (opening != nil) else {
            let mistake = needsOpening ? "starts without saying what with" : "says what it starts with out of place"
            throw JournalError(.outOfOrder, "Revision \(revision) of \(stream) \(mistake).")
        }
    }
}
