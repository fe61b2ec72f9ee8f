import Testing
import TestSupport
import WeirAccess
import WeirFlows
import WeirJournals
import WeirStates

@testable import WeirBoards

/// What a board shows, and to whom it says so, when a person deletes a run.
@Suite(.timeLimit(.minutes(15))) struct DeletionTests {
    private func run(_ board: Board, _ operation: String = "job") async throws -> String {
        let run = try await board.start(operation, input: [:], actor: "anna").run
        await board.outcome(of: run)
        return run
    }

    // K13
    @Test func `a deleted run leaves the lists, its address says who deleted it, and the others stay`() async throws {
        let fixture = try await BoardFixture.open(["job": .quick, "other": .quick])
        let board = fixture.board
        let (first, second, third) = (try await run(board), try await run(board), try await run(board))
        let other = try await run(board, "other")
        let before = board.feed.head(of: .operation("other"))
        let gone = Locked<[[String]]>([])
        board.deleted.add { runs in gone.withLock { $0.append(runs) } }
        let receipt = try await board.delete(second, actor: "ben")
        #expect(receipt.run == second)
        #expect(board.view().recentRuns.map(\.record.id) == [other, third, first])
        #expect(board.view().operation("job")?.recent.map(\.record.id) == [third, first])
        #expect(gone.withLock { $0 } == [[second]])
        await #expect { _ = try await board.run(second) } throws: { error in
            guard let error = error as? BoardError else { return false }
            return error.code == .deletedRun && error.description.contains("ben")
        }
        // Readers of its topics start over, also those that had read everything; readers of others notice nothing.
        let deleted = try #require(receipt.sequence)
        for topic in [Topic.board, .operation("job")] {
            #expect(board.feed.head(of: topic) == deleted)
            guard case .gap = board.feed.slice(of: topic, after: deleted.previous, limit: 9) else {
                Issue.record("\(topic) goes on without a gap")
                continue
            }
            #expect(board.feed.floorWithoutDeletions(of: topic) < deleted.previous)
        }
        #expect(board.feed.head(of: .operation("other")) == before)
        guard case .none = board.feed.slice(of: .operation("other"), after: before, limit: 9) else {
            Issue.record("the other operation has changed")
            return
        }
        let next = try await run(board)
        #expect(board.view().recentRuns.map(\.record.id) == [next, other, third, first])
        await #expect { _ = try await board.delete(second, actor: "ben") } throws: {
            ($0 as? BoardError)?.code == .deletedRun
        }
    }

    // K13
    @Test func `an audience with limited visibility that comes after a deletion misses nothing but the deleted run`()
        async throws
    {
        let fixture = try await BoardFixture.open(["job": .quick, "other": .quick])
        let board = fixture.board
        let (first, second) = (try await run(board), try await run(board))
        let then = board.feed.head(of: .board)
        let deleted = try #require(try await board.delete(second, actor: "ben").sequence)
        let visible = try await VisibleBoard(
            board, for: VisibleBoardTests.permissions([.see], operations: ["job"], of: board))
        #expect(visible.view().recentRuns.map(\.record.id) == [first])
        #expect(visible.feed.head(of: .board) == deleted)
        guard case .gap = visible.feed.slice(of: .board, after: then, limit: 9) else {
            Issue.record("its board goes on without a gap")
            return
        }
        #expect(visible.feed.floorWithoutDeletions(of: .board) < then)
    }

    private func ended(_ run: String, at: Int64, key: String? = nil) -> ChangeDraft {
        ChangeDraft(
            stream: .run(run), subject: "job", revision: 0, at: Timestamp(milliseconds: at),
            state: StateRecord(caseName: "done", phase: .succeeded), isTransition: true, cause: nil,
            opening: RunOpening(actor: "anna", input: [:], idempotencyKey: key))
    }

    // K13
    @Test func `many runs are deleted in one transaction and announced together, steps with their run in any order`()
        async throws
    {
        let journal = JournalDouble()
        _ = try await journal.append([
            ended("a", at: 1), ended("whole", at: 2), ended("step", at: 3, key: "step whole build 1"),
            ended("b", at: 4),
        ])
        let fixture = try await BoardFixture.open(["job": .quick], on: journal)
        let board = fixture.board
        let gone = Locked<[[String]]>([])
        board.deleted.add { runs in gone.withLock { $0.append(runs) } }
        let results = await board.delete(["step", "whole", "a", "nobody"], actor: "ben")
        #expect(results.filter { (try? $0.value.get())?.run == $0.key }.keys.sorted() == ["a", "step", "whole"])
        #expect(results.count == 4)
        #expect(journal.deletes == 1)
        #expect(gone.withLock { $0 } == [["whole", "step", "a"]])
        #expect(board.view().recentRuns.map(\.record.id) == ["b"])
        // Without its run, a step is refused.
        _ = try await journal.append([ended("c", at: 5), ended("d", at: 6, key: "step c build 1")])
        let refused = await board.delete(["d", "b"], actor: "ben")
        #expect(throws: BoardError.self) { try refused["d"]?.get() }
        #expect((try? refused["b"]?.get())?.run == "b")
    }

    // K13
    @Test func `others record while the rows of a deleted run are removed`() async throws {
        let fixture = try await BoardFixture.open(["job": .quick])
        let board = fixture.board
        let first = try await run(board)
        fixture.journal.holdFinishing()
        async let receipt = board.delete(first, actor: "ben")
        try await until { board.view().recentRuns.isEmpty }
        let second = try await run(board)
        #expect(board.view().recentRuns.map(\.record.id) == [second])
        fixture.journal.releaseFinishing()
        let done = try await receipt
        #expect(done.run == first)
    }

    // K13
    @Test func `moments before a deletion are shown without the deleted run`() async throws {
        let fixture = try await BoardFixture.open(["job": .quick])
        let board = fixture.board
        let (first, second) = (try await run(board), try await run(board))
        let then = try await board.run(second).sequence
        _ = try await run(board)
        _ = try await board.delete(second, actor: "ben")
        let moment = try await board.moment(ofOperation: "job", at: then)
        #expect(moment.operation.recent.map(\.record.id) == [first])
    }

    // K13
    @Test func `a run that has not ended is not deleted, nor is an unknown one`() async throws {
        let fixture = try await BoardFixture.open(["endless": .endless])
        let run = try await fixture.board.start("endless", input: [:], actor: "anna").run
        await #expect { _ = try await fixture.board.delete(run, actor: "ben") } throws: {
            ($0 as? BoardError)?.code == .stillRunning
        }
        await #expect { _ = try await fixture.board.delete("nobody", actor: "ben") } throws: {
            ($0 as? BoardError)?.code == .unknownRun
        }
        _ = try await fixture.board.cancel(run, actor: "anna")
        _ = try await fixture.board.delete(run, actor: "ben")
        #expect(fixture.board.view().recentRuns.isEmpty)
    }

    // K13
    @Test func `no run is deleted that an active run retries, directly or through another retry`() async throws {
        let fixture = try await BoardFixture.open(["endless": .endless])
        let board = fixture.board
        var runs = [try await board.start("endless", input: [:], actor: "anna").run]
        for _ in 0..<2 {
            let last = try #require(runs.last)
            _ = try await board.cancel(last, actor: "anna")
            await board.outcome(of: last)
            runs.append(try await board.retry(last, actor: "anna").run)
        }
        let active = try #require(runs.last)
        for (run, result) in await board.delete(runs, actor: "ben") {
            #expect { try result.get() } throws: { error in
                guard let error = error as? BoardError, error.code == .stillRunning else { return false }
                let words =
                    run == active ? "Run “\(active)” has not" : "Run “\(active)” retries run “\(run)” and has not"
                return error.description.hasPrefix(words)
            }
        }
        _ = try await board.cancel(active, actor: "anna")
        await board.outcome(of: active)
        for result in await board.delete(runs, actor: "ben").values { _ = try result.get() }
    }

    // K12, K13
    @Test func `every server passes a deletion in its place, also one that forwards the command`() async throws {
        let pair = try await BoardPair()
        let (first, second) = (try await run(pair.first), try await run(pair.first))
        try await pair.beats { pair.second.feed.head(of: .board) == pair.first.feed.head(of: .board) }
        async let receipt = pair.second.delete(first, actor: "ben")
        try await pair.beats { pair.first.view().recentRuns.map(\.record.id) == [second] }
        try await pair.beats { pair.second.view().recentRuns.map(\.record.id) == [second] }
        let third = try await run(pair.first)
        try await pair.beats { pair.second.view().recentRuns.map(\.record.id) == [third, second] }
        let done = try await receipt
        #expect(done.run == first)
        await #expect { _ = try await pair.second.run(first) } throws: { ($0 as? BoardError)?.code == .deletedRun }
    }

    // K13
    @Test func `a follower calls for changes and deletions in the order of their sequences, each once`() async throws {
        let journal = MemoryJournal()
        func add(_ run: String, at: Int64) async throws { _ = try await journal.append([ended(run, at: at)]) }
        let events = Locked<[String]>([])
        let follower = Follower(journal: journal, head: 0, batchLimit: 2) { changes in
            events.withLock { $0 += changes.map { "\($0.sequence)" } }
        } forget: { deletions in
            events.withLock { $0 += deletions.map { "\($0.sequence) without \($0.run)" } }
        }
        for (number, run) in ["a", "b", "c", "d"].enumerated() { try await add(run, at: Int64(number)) }
        _ = try await journal.delete("b", by: "ben", at: Timestamp(milliseconds: 9))
        _ = try await journal.delete("c", by: "ben", at: Timestamp(milliseconds: 9))
        try await add("e", at: 10)
        _ = try await journal.delete("a", by: "ben", at: Timestamp(milliseconds: 11))
        try await follower.catchUp()
        #expect(events.withLock { $0 } == ["4", "5 without b", "6 without c", "7", "8 without a"])
        #expect(follower.head == 8)
        try await follower.catchUp()
        let changes = try await journal.append([ended("f", at: 12)])
        try await follower.take(changes)
        #expect(events.withLock { $0 }.suffix(2) == ["8 without a", "9"])
    }
}
