import Testing
import TestSupport
import WeirJournals
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct PastTests {
    /// Three runs side by side, of ticks and transitions by chance, and the changes they made.
    private func fill(_ journal: any Journal, seed: UInt64) async throws -> [Change] {
        var random = SeededGenerator(seed: seed)
        var revisions: [String: Int64] = [:]
        var ended: Set<String> = []
        var drafts: [ChangeDraft] = []
        for step in 0..<200 {
            let id = try #require(["a", "b", "c"].randomElement(using: &random))
            guard !ended.contains(id) else { continue }
            guard let revision = revisions[id] else {
                revisions[id] = 0
                drafts.append(.opening(id, operation: id == "c" ? "login" : "upload", at: Int64(step)))
                continue
            }
            revisions[id] = revision + 1
            let isEnd = step > 150 && id != "b"
            if isEnd { ended.insert(id) }
            drafts.append(
                .step(
                    id, revision + 1, operation: id == "c" ? "login" : "upload", at: Int64(step),
                    phase: isEnd ? .succeeded : .active, payload: ["step": .integer(Int64(step))],
                    isTransition: isEnd || Int.random(in: 0..<3, using: &random) == 0))
        }
        return try await journal.append(drafts)
    }

    // K8
    @Test(arguments: JournalKind.allCases, [1, 4, 500])
    func `the past of a run is the fold of its changes, at every sequence`(kind: JournalKind, limit: Int) async throws {
        try await kind.withJournal { journal in
            let changes = try await fill(journal, seed: 7)
            for id in ["a", "b", "c"] {
                let own = changes.filter { $0.stream == .run(id) }
                for sequence in 0...SequenceNumber(clamping: changes.count + 3) {
                    let past = try #require(try await journal.past(of: id, at: sequence, transitions: limit))
                    #expect(past.opening == own.first)
                    #expect(past.newest == point(own, limit))
                    let until = own.filter { $0.sequence <= sequence }
                    #expect(past.standing == (until.isEmpty ? nil : point(until, limit)))
                    #expect(past.previous == until.dropLast().last?.sequence)
                    #expect(past.next == own.first { $0.sequence > sequence }?.sequence)
                }
                let newest = try #require(try await journal.past(of: id, at: nil, transitions: limit))
                #expect(newest.standing == newest.newest)
            }
            #expect(try await journal.past(of: "none", at: nil, transitions: limit) == nil)
        }
    }

    private func point(_ changes: [Change], _ limit: Int) -> RunPast.Point? {
        let transitions = changes.filter(\.isTransition).map { Transition($0) }
        return changes.last.map {
            RunPast.Point(
                change: $0, transitions: transitions.suffix(limit), omitted: max(0, transitions.count - limit))
        }
    }

    // K8
    @Test(arguments: JournalKind.allCases)
    func `how many runs went on is told of every sequence`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            let changes = try await fill(journal, seed: 11)
            var active: [String: Set<String>] = [:]
            for change in changes {
                guard case .run(let id) = change.stream else { continue }
                if change.state.phase.isEnded {
                    active[change.subject]?.remove(id)
                } else {
                    active[change.subject, default: []].insert(id)
                }
                for operation in ["upload", "login", "none"] {
                    let count = try await journal.activeRuns(of: operation, at: change.sequence)
                    #expect(count == active[operation]?.count ?? 0, "\(operation) at \(change.sequence)")
                }
            }
            #expect(try await journal.activeRuns(of: "upload", at: 0) == 0)
        }
    }

    // K9
    @Test(arguments: JournalKind.allCases)
    func `a run that was removed has no past, and one that stayed keeps its own`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            _ = try await journal.append([
                .opening("old"), .step("old", 1, phase: .succeeded), .opening("new"), .step("new", 1, phase: .failed),
            ])
            _ = try await journal.prune(RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 1), now: .test(9))
            #expect(try await journal.past(of: "old", at: nil, transitions: 9) == nil)
            #expect(try await journal.past(of: "new", at: 3, transitions: 9)?.standing?.change.revision == 0)
            #expect(try await journal.activeRuns(of: "upload", at: 3) == 1)
        }
    }
}
