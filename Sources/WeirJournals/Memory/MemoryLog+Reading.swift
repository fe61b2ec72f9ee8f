import WeirStates

extension MemoryLog {
    func run(_ id: String) -> RunRecord? { records[id] }

    func run(idempotencyKey: String, operation: String, actor: String) -> RunRecord? {
        newestFirst.first {
            $0.opening.idempotencyKey == idempotencyKey && $0.operation == operation && $0.opening.actor == actor
                && $0.origin == nil
        }
    }

    func runs(_ query: RunQuery) -> RunPage {
        let search = query.search
        let limit = max(0, query.limit)
        let isFound = { (record: RunRecord) in
            query.matches(record)
                && search.map { $0.matches(folded: self.text(of: record).words, of: record.operation) } ?? true
        }
        guard query.order == .started else {
            let all = records.values.filter(isFound).sorted(by: query.precedes)
            let page = Array(all.prefix(limit))
            return RunPage(runs: page, next: all.count > limit ? page.last?.openedSequence : nil)
        }
        var found: [RunRecord] = []
        let ids = query.isOldestFirst ? AnySequence(order) : AnySequence(order.reversed())
        for record in ids.lazy.compactMap({ records[$0] }) where isFound(record) {
            guard found.count < limit else { return RunPage(runs: found, next: found.last?.openedSequence) }
            found.append(record)
        }
        return RunPage(runs: found, next: nil)
    }

    func counts() -> [RunCount] {
        let byOperation = Dictionary(grouping: records.values, by: \.operation)
        return byOperation.keys.sorted().flatMap { operation in
            let byPhase = Dictionary(grouping: byOperation[operation] ?? [], by: \.state.phase)
            return Phase.allCases.compactMap { phase in
                byPhase[phase].map { RunCount(operation: operation, phase: phase, count: $0.count) }
            }
        }
    }

    func unfinishedRuns() -> [RunRecord] {
        order.compactMap { records[$0] }.filter { $0.endedAt == nil }
    }

    private var newestFirst: some Sequence<RunRecord> {
        order.reversed().lazy.compactMap { records[$0] }
    }

    private func text(of record: RunRecord) -> RunText {
        var text = RunText(record)
        if record.endedAt != nil {
            text.addOutput(count: outputCount(of: record.id)) { number in
                output(of: record.id, after: number.previous, limit: 1).first
            }
        }
        return text
    }
}

extension MemoryLog {
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

    func activeRuns(of operation: String, at sequence: SequenceNumber) -> Int {
        records.values.count { record in
            record.operation == operation && record.openedSequence <= sequence
                && (record.endedAt == nil || record.sequence > sequence)
        }
    }
}

extension Array {
    /// The index of the first element that satisfies a test, by binary search; all elements after it must satisfy it
    /// too.
    func partitioningIndex(where test: (Element) throws -> Bool) rethrows -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if try test(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
