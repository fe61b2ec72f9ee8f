import States

extension RunQuery {
    /// Whether a record satisfies everything but the text and the limit.
    package func matches(_ record: RunRecord) -> Bool {
        (operation == nil || record.operation == operation)
            && (phase == nil || record.state.phase == phase)
            && (actor == nil || record.opening.actor == actor)
            && startedAfter.map { record.startedAt >= $0 } ?? true
            && startedBefore.map { record.startedAt < $0 } ?? true
            && isImported.map { (record.origin != nil) == $0 } ?? true
            && before.map { record.openedSequence < $0 } ?? true
    }
}
