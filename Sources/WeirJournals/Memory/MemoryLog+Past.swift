extension MemoryLog {
    /// A run as it was at a sequence, and as it is now; nil if it is not kept.
    func past(of run: String, at sequence: SequenceNumber, limit: Int) -> RunPast? {
        let topic = Topic.run(run)
        guard let opening = changes(of: topic, after: 0, through: .max, limit: 1).first,
            let newest = newestChanges(of: topic, through: .max, limit: 1).last
        else { return nil }
        let change = newestChanges(of: topic, through: sequence, limit: 1).last
        return RunPast(
            opening: opening, standing: change.map { point(at: $0, of: run, limit: limit) },
            newest: point(at: newest, of: run, limit: limit),
            previous: change.flatMap {
                newestChanges(of: topic, through: $0.sequence.previous, limit: 1).last?.sequence
            },
            next: changes(of: topic, after: change?.sequence ?? sequence, through: .max, limit: 1).first?.sequence)
    }

    private func point(at change: Change, of run: String, limit: Int) -> RunPast.Point {
        let all = transitions[run] ?? []
        let end = all.partitioningIndex { $0 > change.sequence }
        let shown = all[..<end].suffix(limit)
        return RunPast.Point(
            change: change, transitions: shown.map { Transition(self.change(at: $0)) }, omitted: end - shown.count)
    }

    /// How many runs of an operation had begun and not ended right after a sequence.
    func activeRuns(of operation: String, at sequence: SequenceNumber) -> Int {
        records.values.count { record in
            record.operation == operation && record.openedSequence <= sequence
                && (record.endedAt == nil || record.sequence > sequence)
        }
    }
}
