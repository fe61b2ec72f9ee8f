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
