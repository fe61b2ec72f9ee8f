import Testing
import TestSupport
@testable import WeirJournals
import WeirStates

/// Holds a journal against a list of changes and the plainest reading of the contract.
@Suite(.timeLimit(.minutes(15))) struct ModelTests {
    private struct Model {
        var all: [Change] = []
        var kept: [Change] = []
        var removedUpTo: [Topic: SequenceNumber] = [:]
        var head = SequenceNumber.zero

        var records: [RunRecord] {
            var records: [RunRecord] = []
            for change in kept {
                if let index = records.firstIndex(where: { .run($0.id) == change.stream }) {
                    records[index].apply(change)
                } else if let record = RunRecord(opening: change) {
                    records.append(record)
                }
            }
            return records
        }

        /// Deletes a run, with a deletion in the next place.
        mutating func delete(_ run: RunRecord) {
            head = head.next
            kept.removeAll { $0.stream == .run(run.id) }
            for topic in [Topic.board, .operation(run.operation)] { removedUpTo[topic] = head }
        }

        mutating func prune(_ policy: RetentionPolicy, now: Timestamp) -> Int {
            var going: Set<String> = []
            for (_, runs) in Dictionary(grouping: records, by: \.operation) {
                let ended = runs.filter { $0.endedAt != nil }
                let isOld = { (run: RunRecord) in now - (run.endedAt ?? now) > policy.standard.maximumAge ?? .max }
                let others = ended.filter { !isOld($0) }
                let surplus = others.dropLast(policy.standard.maximumRuns ?? .max)
                for run in ended.filter(isOld) + surplus {
                    going.insert(run.id)
                    for topic in [Topic.board, .operation(run.operation)] {
                        removedUpTo[topic] = max(removedUpTo[topic] ?? 0, run.sequence)
                    }
                }
            }
            kept.removeAll { change in if case .run(let id) = change.stream { going.contains(id) } else { false } }
            let steps = kept.filter { Topic.store("cart").contains($0) }
            if let last = steps.dropLast(policy.maximumChangesPerStore ?? .max).last?.sequence {
                for topic in [Topic.board, .store("cart")] { removedUpTo[topic] = max(removedUpTo[topic] ?? 0, last) }
                kept.removeAll { Topic.store("cart").contains($0) && $0.sequence <= last }
            }
            return going.count
        }
    }

    // K1, K2, K9
    @Test(arguments: JournalKind.allCases, [1, 2, 3] as [UInt64])
    func `a journal does what a plain list would, whatever the order of events`(
        kind: JournalKind, seed: UInt64
    ) async throws {
        var generator = SeededGenerator(seed: seed)
        try await kind.withJournal { journal in
            var model = Model()
            for step in 0..<400 {
                switch Int.random(in: 0..<20, using: &generator) {
                case 0:
                    let policy = RetentionPolicy(
                        maximumAge: Bool.random(using: &generator) ? 300 : nil,
                        maximumRunsPerOperation: Bool.random(using: &generator) ? 6 : nil,
                        maximumChangesPerStore: Bool.random(using: &generator) ? 5 : nil)
                    let now = Timestamp.test(Int64(step))
                    let middle = SequenceNumber(clamping: try await journal.head().rawValue / 2)
                    let before = model.records.filter { $0.endedAt != nil }
                    let forecast = try await journal.forecast(policy, now: now, after: middle)
                    let removed = model.prune(policy, now: now)
                    let recent = before.count { $0.sequence > middle }
                    #expect(forecast == RetentionForecast(runs: removed, kept: before.count, recent: recent))
                    #expect(try await journal.prune(policy, now: now) == removed)
                case 1...12:
                    let drafts = draws(model, at: Int64(step), &generator)
                    let changes = try await journal.append(drafts)
                    #expect(changes.map(\.draft) == drafts)
                    #expect(changes.first?.sequence == model.head.next)
                    model.head = changes.last?.sequence ?? model.head
                    model.all += changes
                    model.kept += changes
                case 13:
                    guard let run = model.records.filter({ $0.endedAt != nil }).randomElement(using: &generator) else {
                        continue
                    }
                    let outcome = try await journal.delete(run.id, by: "anna", at: .test(Int64(step)))
                    model.delete(run)
                    #expect(
                        outcome
                            == .deleted([
                                RunDeletion(
                                    sequence: model.head, run: run.id, operation: run.operation,
                                    at: .test(Int64(step)), actor: "anna")
                            ]))
                default:
                    try await compare(journal, model, &generator)
                }
            }
            try await compare(journal, model, &generator)
            #expect(model.kept.count < model.all.count)
        }
    }

    private func draws(_ model: Model, at: Int64, _ generator: inout SeededGenerator) -> [ChangeDraft] {
        var ends: [StreamID: Int64] = [:]
        for change in model.kept { ends[change.stream] = change.revision }
        var drafts: [ChangeDraft] = []
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let runs = model.records.filter { $0.endedAt == nil }
            if let run = runs.randomElement(using: &generator), Bool.random(using: &generator) {
                let revision = (ends[.run(run.id)] ?? 0) + 1
                ends[.run(run.id)] = revision
                let phase = Phase.allCases.randomElement(using: &generator) ?? .active
                drafts.append(
                    .step(
                        run.id, revision, operation: run.operation, at: at, phase: phase,
                        payload: ["word": .string("w\(Int.random(in: 0..<4, using: &generator))")]))
            } else if Bool.random(using: &generator) {
                let revision = (ends[.store("cart")] ?? -1) + 1
                ends[.store("cart")] = revision
                drafts.append(.store("cart", revision))
            } else {
                let id = "r\(at)-\(drafts.count)"
                ends[.run(id)] = 0
                drafts.append(
                    .opening(
                        id, operation: ["x", "y", "cart"].randomElement(using: &generator) ?? "x", at: at,
                        actor: ["anna", "ben"].randomElement(using: &generator) ?? "anna", input: ["w": "opened"]))
            }
        }
        return drafts
    }

    private func compare(
        _ journal: any Journal, _ model: Model, _ generator: inout SeededGenerator
    ) async throws {
        let records = model.records
        let head = model.head
        #expect(try await journal.head() == head)
        let topics: [Topic] = [
            .board, .operation("x"), .operation("cart"), .store("cart"),
            .run(records.randomElement(using: &generator)?.id ?? "none"),
        ]
        for topic in topics {
            let after = (0...max(1, head)).randomElement(using: &generator) ?? 0
            let through = Bool.random(using: &generator) ? (0...max(1, head)).randomElement(using: &generator) : nil
            let limit = Int.random(in: 0...50, using: &generator)
            let own = model.kept.filter(topic.contains)
            let expected = own.filter { $0.sequence > after && $0.sequence <= through ?? .max }.prefix(limit)
            #expect(
                try await journal.changes(of: topic, after: after, through: through, limit: limit) == Array(expected))
            #expect(try await journal.lastChange(of: topic, through: after) == own.last { $0.sequence <= after })
            #expect(try await journal.floor(of: topic) == model.removedUpTo[topic] ?? 0)
        }
        #expect(try await journal.tail(7) == Array(model.kept.suffix(7)))
        #expect(try await journal.unfinishedRuns() == records.filter { $0.endedAt == nil })
        let counts = try await journal.counts()
        #expect(counts.map(\.count).reduce(0, +) == records.count)
        for count in counts {
            let same = records.filter { $0.operation == count.operation && $0.state.phase == count.phase }
            #expect(count.count == same.count)
        }
        try await compareLists(journal, records, &generator)
    }

    private func compareLists(
        _ journal: any Journal, _ records: [RunRecord], _ generator: inout SeededGenerator
    ) async throws {
        func maybe<Value>(_ value: Value) -> Value? { Int.random(in: 0..<3, using: &generator) == 0 ? value : nil }
        var query = RunQuery(
            operation: maybe("x"), phase: maybe(.succeeded), actor: maybe("anna"), text: maybe("w1"),
            startedAfter: maybe(.test(50)), startedBefore: maybe(.test(250)),
            before: maybe(records.randomElement(using: &generator)?.openedSequence ?? 1), limit: 5)
        query.isOldestFirst = Bool.random(using: &generator)
        query.after = maybe(records.randomElement(using: &generator)?.openedSequence ?? 1)
        let expected = (query.isOldestFirst ? records : records.reversed()).filter { record in
            let says = record.state.payload["word"]?.string == "w1"
            return query.operation ?? record.operation == record.operation
                && query.phase ?? record.state.phase == record.state.phase
                && query.actor ?? record.opening.actor == record.opening.actor && (query.text == nil || says)
                && record.startedAt >= query.startedAfter ?? record.startedAt
                && (query.startedBefore == nil || record.startedAt < .test(250))
                && record.openedSequence < query.before ?? .max && record.openedSequence > query.after ?? 0
        }
        let page = try await journal.runs(query)
        #expect(page.runs == Array(expected.prefix(5)), "\(query)")
        #expect(page.next == (expected.count > 5 ? expected[4].openedSequence : nil))
    }
}
