extension ChangeDraft {
    /// Throws unless this draft follows the last one of its stream, nil being a stream without changes.
    package func check(follows last: (revision: Int64, subject: String)?) throws(JournalError) {
        guard revision == (last?.revision ?? -1) + 1 else {
            let before = last.map { "revision \($0.revision)" } ?? "nothing"
            throw JournalError(.outOfOrder, "Revision \(revision) of \(stream) does not follow \(before).")
        }
        guard last?.subject ?? subject == subject else {
            throw JournalError(.outOfOrder, "Revision \(revision) of \(stream) is about another subject.")
        }
        let needsOpening = if case .run = stream { revision == 0 } else { false }
        guard needsOpening == (opening != nil) else {
            let mistake = needsOpening ? "starts without saying what with" : "says what it starts with out of place"
            throw JournalError(.outOfOrder, "Revision \(revision) of \(stream) \(mistake).")
        }
        let needsStep = if case .store = stream { true } else { false }
        guard needsStep == (step != nil) else {
            let mistake = needsStep ? "does not say what it came by" : "came by a step, which only stores have"
            throw JournalError(.outOfOrder, "Revision \(revision) of \(stream) \(mistake).")
        }
    }
}
