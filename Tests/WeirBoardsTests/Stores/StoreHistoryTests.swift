import Logging
import Testing
import TestSupport
import WeirJournals
import WeirStates
import WeirStores

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct StoreHistoryTests {
    private func act(_ fixture: BoardFixture, _ count: Int, step: Int64 = 1) async throws {
        for _ in 0..<count {
            _ = try await fixture.board.dispatch(
                ["type": "add", "step": .integer(step)], to: "tally", actor: "anna")
        }
    }

    private func isSame(_ left: StoreView, _ right: StoreView) -> Bool {
        left.sequence == right.sequence && left.revision == right.revision && left.state == right.state
            && left.log.elementsEqual(right.log, by: isSame) && left.effects == right.effects
            && left.offers == right.offers
            && left.omittedSteps == right.omittedSteps
    }

    private func isSame(_ left: StoreLogLine, _ right: StoreLogLine) -> Bool {
        left.sequence == right.sequence && left.revision == right.revision && left.at == right.at
            && left.step == right.step && left.cause == right.cause && left.caseName == right.caseName
            && left.phase == right.phase
    }

    @Test func `every change of a store is a step of it, its beginning too`() async throws {
        let fixture = try await BoardFixture.tally()
        try await act(fixture, 2)
        _ = try await fixture.board.reset("tally", actor: "anna")
        let changes = try await fixture.journal.changes(of: .store("tally"), after: 0, through: nil, limit: 10)
        let kinds = changes.map { $0.draft.step?.kind }
        #expect(kinds == [.opened, .action, .action, .reset])
        #expect(changes.filter { !$0.isTransition }.isEmpty)
        await fixture.board.shutdown()
    }

    // K8
    @Test func `the view as of any change is what was live then, from memory and from the journal`() async throws {
        let fixture = try await BoardFixture.tally()
        var live: [StoreView] = [try fixture.board.store("tally")]
        for number in 0..<130 {
            try await act(fixture, 1, step: number % 3 == 0 ? 100 : 1)
            live.append(try fixture.board.store("tally"))
        }
        let short = try await BoardFixture.tally(on: fixture.journal) {
            $0.retention = nil
            $0.tailLimit = 5
        }
        for (index, view) in live.enumerated() {
            let sequence = SequenceNumber(clamping: index + 1)
            #expect(view.sequence == sequence)
            #expect(isSame(try await fixture.board.store("tally", at: sequence), view))
            #expect(isSame(try await short.board.store("tally", at: sequence), view), "\(sequence)")
        }
        #expect(live.last?.log.count == 100)
        #expect(live.last?.omittedSteps == 31)
        #expect(live.last?.effects.count == 50)
        await #expect {
            try await short.board.store("tally", at: 0)
        } throws: { ($0 as? BoardError)?.code == .unknownMoment }
    }

    @Test func `a store as of its last change is had from memory, also when that change has left it`() async throws {
        let fixture = try await BoardFixture.open(["work": .quick], stores: ["tally": Tally()])
        try await act(fixture, 3)
        _ = try await fixture.board.start("work", input: [:], actor: "anna")
        try await fixture.ended()
        let short = try await BoardFixture.open(["work": .quick], stores: ["tally": Tally()], on: fixture.journal) {
            $0.retention = nil
            $0.tailLimit = 1
        }
        let reads = fixture.journal.reads
        let view = try await short.board.store("tally", at: 4)
        #expect(isSame(view, try fixture.board.store("tally")))
        #expect(fixture.journal.reads == reads)
        for board in [fixture.board, short.board] { await board.shutdown() }
    }

    // K8
    @Test func `each publication carries the store and the whole board as of its change`() async throws {
        let fixture = try await BoardFixture.open(["work": .quick], stores: ["other": Tally(), "tally": Tally()])
        try await act(fixture, 3)
        _ = try await fixture.board.start("work", input: [:], actor: "anna")
        try await fixture.ended()
        guard case .some(let own, more: false) = fixture.board.feed.slice(of: .store("tally"), after: 0, limit: 100)
        else {
            Issue.record("the store's feed is empty")
            return
        }
        #expect(own.map { $0.store?.state.payload["count"]?.integer } == [0, 1, 2, 3])
        #expect(own.map { $0.store?.sequence } == own.map(\.change.sequence))
        #expect(own.allSatisfy { $0.run == nil && $0.board.store("tally")?.sequence == $0.change.sequence })
        #expect(fixture.board.feed.head(of: .store("other")) == 1)
        #expect(fixture.board.view().stores.map(\.id) == ["other", "tally"])
        #expect(fixture.board.stores().map(\.sequence) == [1, 5])
        #expect(fixture.board.view().recentRuns.count == 1)
    }

    // I11
    @Test func `after a restart a store is in the state recorded last, and cursors go on`() async throws {
        let fixture = try await BoardFixture.tally()
        try await act(fixture, 3)
        _ = try await fixture.board.dispatch(["type": "close"], to: "tally", actor: "anna")
        let again = try await BoardFixture.tally(Tally(initial: 50), on: fixture.journal)
        #expect(isSame(try again.board.store("tally"), try fixture.board.store("tally")))
        #expect(again.board.feed.head(of: .store("tally")) == 5)
        let receipt = try await again.board.reset("tally", actor: "anna")
        #expect(receipt.sequence == 6)
        let view = try again.board.store("tally")
        #expect(view.revision == 5)
        #expect(view.state.payload["count"] == 50)
        guard case .some(let publications, _) = again.board.feed.slice(of: .store("tally"), after: 5, limit: 9) else {
            Issue.record("a cursor of before the restart finds nothing")
            return
        }
        #expect(publications.map(\.change.sequence) == [6])
    }

    // I12
    @Test func `a recorded state that no longer decodes is kept, told, and the store begins anew`() async throws {
        let journal = JournalDouble()
        let old = StateRecord(caseName: "tallied", payload: ["of": "old"], phase: .active)
        _ = try await journal.append([
            ChangeDraft(
                stream: .store("tally"), subject: "tally", revision: 0, at: Timestamp(milliseconds: 0), state: old,
                isTransition: true, step: StoreStep(.opened))
        ])
        let fixture = try await BoardFixture.tally(Tally(initial: 9), on: journal)
        let view = try fixture.board.store("tally")
        #expect(view.state.payload["count"] == 9)
        #expect(view.log.map(\.step.kind) == [.unreadable, .opened])
        #expect(view.log.first?.cause?.hasPrefix("the state of change 1 no longer decodes") == true)
        let kept = try await fixture.board.store("tally", at: 1)
        #expect(kept.state == old)
        #expect(kept.offers.isEmpty)
        await #expect {
            try await fixture.board.returnTo("tally", sequence: 1, actor: "anna")
        } throws: { ($0 as? BoardError)?.code == .invalidInput }
        try await act(fixture, 1)
        let again = try await BoardFixture.tally(on: journal)
        #expect(try again.board.store("tally").log.map(\.step.kind) == [.action, .unreadable, .opened])
    }

    @Test func `what is offered follows the state, also that of before`() async throws {
        let fixture = try await BoardFixture.tally()
        try await act(fixture, 2)
        _ = try await fixture.board.dispatch(["type": "close"], to: "tally", actor: "anna")
        #expect(try fixture.board.store("tally").offers == [ActionOffer("close", isEnabled: false)])
        let before = try await fixture.board.store("tally", at: 3)
        #expect(before.offers.first == ActionOffer("add", values: ["step": 2], anchor: "count"))
    }

    // K6, K5
    @Test func `ten thousand actions of a store's own work are all recorded in order, in few goes`() async throws {
        let fixture = try await BoardFixture.tally(
            Tally { dispatch in for count in 1...10_000 { dispatch(.loaded(count: count)) } })
        let start = try #require(
            try await fixture.board.dispatch(["type": "load"], to: "tally", actor: "anna").sequence)
        _ = try await fixture.published(.store("tally"), after: start) { $0.change.state.payload["count"] == 10_000 }
        let changes = try await fixture.journal.changes(of: .store("tally"), after: 2, through: nil, limit: 100_000)
        #expect(changes.map { $0.state.payload["count"]?.integer } == (1...10_000).map { Int64($0) })
        #expect(changes.map(\.revision) == Array(2...10_001))
    }
}
