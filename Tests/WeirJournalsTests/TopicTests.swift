import Testing
@testable import WeirJournals
import WeirStates

@Suite(.timeLimit(.minutes(15))) struct TopicTests {
    private func fill(_ journal: any Journal) async throws {
        _ = try await journal.append([
            .opening("a"), .opening("b", operation: "login"), .step("a", 1), .store("login", 0),
            .step("b", 1, operation: "login"), .store("login", 1), .step("a", 2, phase: .succeeded),
        ])
    }

    @Test(arguments: JournalKind.allCases)
    func `each topic has its own changes in order`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            let expected: [(Topic, [SequenceNumber])] = [
                (.board, [1, 2, 3, 4, 5, 6, 7]), (.operation("upload"), [1, 3, 7]), (.operation("login"), [2, 5]),
                (.run("a"), [1, 3, 7]), (.run("b"), [2, 5]), (.store("login"), [4, 6]), (.store("upload"), []),
                (.run("c"), []), (.operation("none"), []),
            ]
            for (topic, sequences) in expected {
                let changes = try await journal.changes(of: topic, after: 0, through: nil, limit: 100)
                #expect(changes.map(\.sequence) == sequences, "\(topic)")
                #expect(changes.allSatisfy(topic.contains))
            }
        }
    }

    @Test(arguments: JournalKind.allCases)
    func `changes are cut after, through and by their limit`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            func sequences(
                _ topic: Topic, _ after: SequenceNumber, _ last: SequenceNumber?, _ limit: Int
            ) async throws -> [SequenceNumber] {
                try await journal.changes(of: topic, after: after, through: last, limit: limit).map(\.sequence)
            }
            #expect(try await sequences(.board, 2, 5, 100) == [3, 4, 5])
            #expect(try await sequences(.board, 2, nil, 2) == [3, 4])
            #expect(try await sequences(.board, 7, nil, 2).isEmpty)
            #expect(try await sequences(.board, 5, 4, 2).isEmpty)
            #expect(try await sequences(.board, 0, nil, 0).isEmpty)
            #expect(try await sequences(.board, -5, 1, .max) == [1])
            #expect(try await sequences(.run("a"), 1, 6, 100) == [3])
            #expect(try await sequences(.operation("upload"), 1, nil, 1) == [3])
            #expect(try await journal.tail(3).map(\.sequence) == [5, 6, 7])
            #expect(try await journal.tail(0).isEmpty)
        }
    }

    // K8
    @Test(arguments: JournalKind.allCases)
    func `the last change of a topic tells its state at any sequence`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            for sequence in SequenceNumber.zero...8 {
                for topic in [Topic.board, .operation("upload"), .run("a"), .run("b"), .store("login"), .run("c")] {
                    let all = try await journal.changes(of: topic, after: 0, through: sequence, limit: 100)
                    #expect(try await journal.lastChange(of: topic, through: sequence) == all.last)
                    let newest = try await journal.newestChanges(of: topic, through: sequence, limit: 2)
                    #expect(newest == Array(all.suffix(2)))
                }
            }
        }
    }

    // K8
    @Test(arguments: JournalKind.allCases)
    func `folding a run's changes gives its record`(kind: JournalKind) async throws {
        try await kind.withJournal { journal in
            try await fill(journal)
            for id in ["a", "b"] {
                let changes = try await journal.changes(of: .run(id), after: 0, through: nil, limit: 100)
                var record = try #require(changes.first.flatMap(RunRecord.init(opening:)))
                for change in changes.dropFirst() { record.apply(change) }
                #expect(try await journal.run(id) == record)
            }
        }
    }
}
