import Logging
import Testing
import TestSupport
import WeirAccess
import WeirFlows
@testable import WeirJournals
import WeirStates

@testable import WeirBoards

/// What a follower is told when changes that it has not read are gone: nothing is jumped over in silence.
@Suite(.timeLimit(.minutes(15))) struct RemovedChangesTests {
    private static let operations: [String: TestOperation] = ["quick": .quick, "other": .quick]

    /// A policy that keeps so many runs of `quick`, so many changes of stores, and all else.
    private static func keeping(_ runs: Int?, changes: Int? = nil) -> RetentionPolicy {
        RetentionPolicy(
            maximumAge: nil, maximumRunsPerOperation: nil, operations: ["quick": .init(maximumRuns: runs)],
            maximumChangesPerStore: changes)
    }

    /// Opens a board on a journal, with all of it in memory or only its end.
    private func open(_ journal: JournalDouble, tail: Int = 1_000) async throws -> Board {
        try await BoardFixture.open(Self.operations, stores: ["tally": Tally()], on: journal) {
            $0.retention = nil
            $0.tailLimit = tail
        }.board
    }

    @discardableResult
    private func run(_ operation: String, _ count: Int = 1, on board: Board) async throws -> [String] {
        var runs: [String] = []
        for _ in 0..<count {
            let id = try await board.start(operation, input: [:], actor: "tester").run
            await board.outcome(of: id)
            runs.append(id)
        }
        return runs
    }

    /// A journal that keeps all, with a few runs of two operations and changes of a store between each other.
    private func filled() async throws -> JournalDouble {
        let journal = JournalDouble(MemoryJournal(retention: Self.keeping(nil)))
        let board = try await open(journal)
        try await run("other", on: board)
        for _ in 0..<6 {
            try await run("quick", on: board)
            _ = try await board.dispatch(["type": "add", "step": 1], to: "tally", actor: "tester")
        }
        await board.shutdown()
        return journal
    }

    private func recorded(in journal: JournalDouble, of topic: Topic) async throws -> [SequenceNumber] {
        try await journal.changes(of: topic, after: 0, through: nil, limit: 1_000).map(\.sequence)
    }

    /// Whether memory tells a cursor of a gap.
    private func isBehind(_ cursor: SequenceNumber, of topic: Topic, in feed: Feed) -> Bool {
        if case .gap = feed.slice(of: topic, after: cursor, limit: 100) { true } else { false }
    }

    /// Checks that a follower at any sequence is told of a gap if and only if it stands before the last change that is gone.
    private func check(
        _ board: Board, of topic: Topic, all: [SequenceNumber], in journal: JournalDouble
    ) async throws {
        let kept = Set(try await recorded(in: journal, of: topic))
        let floor = all.last { !kept.contains($0) } ?? 0
        let head = board.feed.head(of: topic)
        #expect(head >= floor)
        for cursor in 0...head {
            #expect(isBehind(cursor, of: topic, in: board.feed) == (cursor < floor), "\(topic) \(cursor)")
            let slice = try await board.changes(of: topic, after: cursor, limit: 100)
            #expect(slice.lost == (cursor < floor ? cursor.next...floor : nil), "\(topic) \(cursor)")
            #expect(slice.changes.map(\.sequence) == all.filter { $0 > cursor && kept.contains($0) })
            // Once told, it goes on without being told again.
            #expect(try await board.changes(of: topic, after: slice.to, limit: 100).lost == nil, "\(topic) \(cursor)")
        }
    }

    // K9
    @Test(arguments: [1, 9, 1_000])
    func `after a start, whoever stands before a removed change is told of a gap, and nobody else`(
        tail: Int
    ) async throws {
        let journal = try await filled()
        let topics: [Topic] = [.board, .operation("quick"), .operation("other"), .store("tally")]
        var all: [Topic: [SequenceNumber]] = [:]
        for topic in topics { all[topic] = try await recorded(in: journal, of: topic) }
        for policy in [
            Self.keeping(nil),
            Self.keeping(2),
            Self.keeping(nil, changes: 3),
            RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 0, maximumChangesPerStore: 1),
        ] {
            _ = try await journal.prune(policy, now: Timestamp(milliseconds: 0))
            let board = try await open(journal, tail: tail)
            // Memory is behind more than what is gone if it does not hold all.
            if tail == 1_000 {
                for topic in topics { try await check(board, of: topic, all: all[topic] ?? [], in: journal) }
            }
            for topic in topics {
                let kept = Set(try await recorded(in: journal, of: topic))
                let floor = all[topic]?.last { !kept.contains($0) } ?? 0
                for cursor in 0..<floor {
                    #expect(isBehind(cursor, of: topic, in: board.feed), "\(topic) \(cursor)")
                    #expect(
                        try await board.changes(of: topic, after: cursor, limit: 100).lost == cursor.next...floor)
                }
                #expect(!isBehind(board.feed.head(of: topic), of: topic, in: board.feed))
                #expect(try await board.changes(of: topic, after: floor, limit: 100).lost == nil)
            }
            await board.shutdown()
        }
    }

    // K9
    @Test func `pages stand behind all that is removed, also where nothing is left, and go on with the next change`()
        async throws
    {
        let journal = try await filled()
        let head = try await journal.head()
        _ = try await journal.prune(
            RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 0), now: Timestamp(milliseconds: 0))
        let board = try await open(journal)
        let cursor = board.feed.head(of: .operation("quick"))
        #expect(cursor > 0 && cursor <= head)
        #expect(board.view().sequence == board.feed.head(of: .board))
        #expect(board.feed.head(of: .board) == head)
        let next = try await run("quick", on: board)[0]
        for (topic, cursor) in [(Topic.operation("quick"), cursor), (.board, head)] {
            guard case .some(let publications, _) = board.feed.slice(of: topic, after: cursor, limit: 100) else {
                Issue.record("\(topic) does not go on")
                continue
            }
            #expect(publications.allSatisfy { $0.run?.record.id == next })
            #expect(publications.first?.change.revision == 0)
        }
        await board.shutdown()
    }

    // K9
    @Test func `what is removed while the board is open is told as after a start`() async throws {
        let journal = try await filled()
        var all: [Topic: [SequenceNumber]] = [:]
        let topics: [Topic] = [.board, .operation("quick"), .operation("other"), .store("tally")]
        for topic in topics { all[topic] = try await recorded(in: journal, of: topic) }
        let board = try await open(journal)
        _ = try await journal.prune(
            Self.keeping(1, changes: 2), now: Timestamp(milliseconds: 0))
        try await board.feed.forgetRemoved(from: journal)
        for topic in topics { try await check(board, of: topic, all: all[topic] ?? [], in: journal) }
        await board.shutdown()
    }

    // K9
    @Test func `a moment of an operation is not shown without the runs that are removed, from memory neither`()
        async throws
    {
        let journal = try await filled()
        let changes = try await recorded(in: journal, of: .operation("quick"))
        _ = try await journal.prune(
            Self.keeping(2),
            now: Timestamp(milliseconds: 0))
        let floor = try await journal.floor(of: .operation("quick"))
        let board = try await open(journal)
        for sequence in changes {
            do throws(BoardError) {
                let moment = try await board.moment(ofOperation: "quick", at: sequence)
                #expect(sequence >= floor)
                #expect(moment.previous.map { $0 > floor } ?? true)
            } catch {
                #expect(error.code == .unknownMoment && sequence <= floor, "\(sequence)")
            }
        }
        await board.shutdown()
    }

    // K3
    @Test func `whoever has read an import that is taken back is told of a gap, and nobody else`() async throws {
        let journal = try await filled()
        let board = try await open(journal)
        let origin = ChangeOrigin(epoch: "elsewhere0001", sequence: 1)
        let ended = StateRecord(caseName: "success", phase: .succeeded)
        for number in 0..<3 {
            let draft = ChangeDraft(
                stream: .run("r\(number)"), subject: "quick", revision: 0, at: Timestamp(milliseconds: 5), state: ended,
                isTransition: true, opening: RunOpening(actor: "tester", input: [:]))
            try await journal.addImported([.change(draft, origin: origin)], at: Timestamp(milliseconds: 5))
        }
        try await board.recorder.follower.catchUp()
        let (head, other) = (try await journal.head(), board.feed.head(of: .operation("other")))
        #expect(board.feed.head(of: .board) == head)
        let told = Locked<[Topic]>([])
        let observations = [Topic.board, .operation("quick"), .operation("other")].map { topic in
            board.feed.observe(topic, after: head) { _ in told.withLock { $0.append(topic) } }
        }
        #expect(try await journal.rollBackImport() == 3)
        try await board.feed.forgetRemoved(from: journal)
        let next = try await open(journal)
        for feed in [board.feed, next.feed] {
            for topic in [Topic.board, .operation("quick")] {
                #expect(isBehind(head, of: topic, in: feed), "who has read all of it")
                #expect(isBehind(head.previous, of: topic, in: feed))
                #expect(!isBehind(feed.head(of: topic), of: topic, in: feed))
            }
            #expect(feed.head(of: .operation("other")) == other)
            #expect(!isBehind(other, of: .operation("other"), in: feed))
        }
        #expect(Set(told.withLock { $0 }) == [.board, .operation("quick")])
        for observation in observations { observation.cancel() }
        try await run("quick", on: board)
        #expect(try await board.changes(of: .board, after: head.next, limit: 100).lost == nil)
        await board.shutdown()
        await next.shutdown()
    }

    @Test func `an audience is told of gaps in what it may see, and of no others`() async throws {
        let journal = try await filled()
        _ = try await journal.prune(
            Self.keeping(1),
            now: Timestamp(milliseconds: 0))
        let floor = try await journal.floor(of: .operation("quick"))
        let board = try await open(journal)
        for (operation, behind) in [("quick", true), ("other", false)] {
            let visible = try await VisibleBoard(
                board, for: VisibleBoardTests.permissions([.see], operations: [operation], of: board))
            for cursor in 1..<floor {
                let slice = visible.feed.slice(of: .board, after: cursor, limit: 100)
                let isGap = if case .gap = slice { true } else { false }
                #expect(isGap == behind, "\(operation) \(cursor)")
            }
            let head = visible.feed.head(of: .board)
            if case .none = visible.feed.slice(of: .board, after: head, limit: 1) { continue }
            Issue.record("\(operation) does not stand at the end")
        }
        let whole = try await VisibleBoard(
            board, for: VisibleBoardTests.permissions([.see], operations: ["quick", "other"], of: board))
        let last = try await run("quick", 2, on: board)
        _ = try await journal.prune(
            Self.keeping(1),
            now: Timestamp(milliseconds: 0))
        try await board.feed.forgetRemoved(from: journal)
        let removed = try await journal.floor(of: .operation("quick"))
        #expect(try await journal.run(last[0]) == nil && removed > floor)
        guard case .gap(removed) = whole.feed.slice(of: .board, after: removed.previous, limit: 1) else {
            Issue.record("it is not told")
            return
        }
        await board.shutdown()
    }

    @Test func `an import that the journal took back when it was opened is in the log`() async throws {
        let journal = JournalDouble()
        journal.undoneRuns = 250
        let log = CapturedLog(level: .warning)
        let board = try await BoardFixture.open(Self.operations, on: journal, logger: log.logger).board
        #expect(log.lines.count { $0.contains("Import the file again.") && $0.contains("250") } == 1)
        await board.shutdown()
    }
}
