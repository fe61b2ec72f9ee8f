import Testing
import TestSupport
import WeirJournals
import WeirStates

/// Walks through lists of runs page by page, in every order, while runs begin, continue, end and are removed.
@Suite(.timeLimit(.minutes(15))) struct RunPagesModelTests {
    private struct Model {
        var journal: any Journal
        var generator: SeededGenerator
        var now: Int64 = 100_000
        var made = 0
        var runs: [String: RunRecord] = [:]

        mutating func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

        private mutating func append(_ draft: ChangeDraft) async throws {
            for change in try await journal.append([draft]) {
                guard case .run(let id) = change.stream else { continue }
                runs[id]?.apply(change)
                runs[id] = runs[id] ?? RunRecord(opening: change)
            }
        }

        mutating func begin() async throws {
            made += 1
            try await append(
                .opening(
                    "r\(made)", operation: ["x", "y", "z"][draw(0...2)], at: now - Int64(draw(0...2_000)),
                    actor: ["anna", "ben"][draw(0...1)], input: ["word": .string("w\(draw(0...2))")]))
        }

        /// Lets an active run end or continue, in a change that is late by up to five seconds.
        mutating func change() async throws {
            let active = runs.values.filter { $0.endedAt == nil }.sorted { $0.openedSequence < $1.openedSequence }
            guard let run = active.randomElement(using: &generator) else { return }
            let phase = [Phase.active, .succeeded, .succeeded, .failed, .cancelled, .interrupted][draw(0...5)]
            let at = max(now - Int64(draw(0...5_000)), run.changedAt - Timestamp.test(0))
            try await append(.step(run.id, run.revision + 1, operation: run.operation, at: at, phase: phase))
        }

        mutating func remove() async throws {
            guard draw(0...4) > 0 else { return try await prune() }
            let ended = runs.values.filter { $0.endedAt != nil }.sorted { $0.openedSequence < $1.openedSequence }
            guard let run = ended.randomElement(using: &generator) else { return }
            _ = try await journal.delete(run.id, by: "anna", at: .test(now))
            runs[run.id] = nil
        }

        mutating func prune() async throws {
            let policy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: draw(8...12))
            _ = try await journal.prune(policy, now: .test(now))
            let kept = Set(try await journal.runs(RunQuery(limit: 1_000)).runs.map(\.id))
            runs = runs.filter { kept.contains($0.key) }
        }

        /// A list in some order, with some filters, as of now.
        mutating func query() async throws -> RunQuery {
            var query = RunQuery(
                operation: draw(0...5) == 0 ? "x" : nil, phase: draw(0...7) == 0 ? .succeeded : nil,
                actor: draw(0...5) == 0 ? "anna" : nil, text: draw(0...5) == 0 ? "w1" : nil,
                startedAfter: draw(0...7) == 0 ? .test(now - 20_000) : nil, limit: draw(1...4))
            query.operations = draw(0...7) == 0 ? ["x", "y"] : nil
            query.order = RunOrder.allCases[draw(0...2)]
            query.isOldestFirst = draw(0...1) == 0
            query.asOf = RunOrder.Moment(at: .test(now), head: try await journal.head())
            return query
        }

        func matching(_ query: RunQuery) -> Set<String> {
            Set(
                runs.values.filter { run in
                    query.matches(run) && (query.text == nil || run.opening.input["word"] == "w1")
                }.map(\.id))
        }
    }

    // K2, K13
    @Test(arguments: JournalKind.allCases, [1, 2, 3] as [UInt64])
    func `pages return each run that stays once, whatever begins, ends and is removed between them`(
        kind: JournalKind, seed: UInt64
    ) async throws {
        try await kind.withJournal { journal in
            var model = Model(journal: journal, generator: SeededGenerator(seed: seed))
            for walk in 0..<40 {
                for _ in 0..<8 {
                    model.now += 1_000
                    try await model.begin()
                    try await model.change()
                }
                let first = try await model.query()
                var (query, found) = (first, [RunRecord]())
                var staying = model.matching(first)
                while true {
                    let page = try await journal.runs(query)
                    let matching = model.matching(first)
                    #expect(page.runs.allSatisfy { matching.contains($0.id) }, "\(walk): \(first)")
                    found += page.runs
                    guard page.next != nil, let last = page.runs.last, found.count < 1_000 else { break }
                    query = query.following(last)
                    query.beyond = query.beyond.flatMap { RunOrder.Place($0.description) }
                    for _ in 0..<model.draw(0...3) {
                        model.now += Int64(model.draw(0...3_000))
                        switch model.draw(0...5) {
                        case 0: try await model.begin()
                        case 1: try await model.remove()
                        default: try await model.change()
                        }
                    }
                    staying.formIntersection(model.matching(first))
                }
                #expect(staying.isSubset(of: found.map(\.id)), "\(walk): \(first)")
                // Strictly in order, so that none comes twice.
                #expect(zip(found, found.dropFirst()).allSatisfy(first.precedes), "\(walk): \(first)")
                try await model.prune()
            }
        }
    }
}
