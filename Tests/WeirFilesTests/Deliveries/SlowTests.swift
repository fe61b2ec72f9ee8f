import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirOperations
import WeirStates

@testable import WeirFiles

/// Messages of runs that take longer than usual.
@Suite(.timeLimit(.minutes(15)))
struct SlowTests {
    @Test func `a run that takes longer than usual is told of while it goes on, and its end by itself`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url, [.slow, .failed])])
        try await fixture.learn()
        let run = try await fixture.begin(failing: "No.")
        let end = try #require(try await fixture.board.run(run).expectedEnd)
        let told = try await fixture.delivery { $0.facts.event == .slow && $0.status == .delivered }
        #expect(told.id == "\(run)-1.slow")
        #expect(told.facts.run == run)
        #expect(told.facts.endedAt >= end.milliseconds)
        let body = try JSONValue(parsing: Data(#require(receiver.requests.value.first?.body).utf8))
        #expect(body["event"] == "slow")
        #expect(body["text"] == "A job takes longer than usual")
        #expect(body["run"]?["phase"] == "active")
        #expect(body["run"]?["endedAt"] == .null)
        await fixture.open(run)
        let ended = try await fixture.delivery { $0.facts.event == .failed && $0.status == .delivered }
        #expect(ended.id == "\(run)-1")
        #expect(receiver.requests.value.count == 2)
        await fixture.stop()
    }

    @Test func `a slow run is told of once, also by a server that comes back`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url, [.slow])])
        try await fixture.learn()
        let first = try await fixture.begin()
        _ = try await fixture.delivery { $0.facts.run == first && $0.status == .delivered }
        await fixture.stop()
        let again = fixture.makeNotifier()
        let work = Task { await again.run() }
        // What is told of the next one comes after all that could be told of the first.
        let second = try await fixture.begin()
        _ = try await fixture.delivery { $0.facts.run == second && $0.status == .delivered }
        #expect(
            receiver.requests.value.map { $0.headers["x-weir-delivery"] } == ["\(first)-1.slow", "\(second)-1.slow"])
        for run in [first, second] { await fixture.open(run) }
        work.cancel()
        await work.value
    }

    @Test func `a run that waits for its turn longer than runs usually take is told of, too`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url, [.slow])], reentry: .queue)
        try await fixture.learn()
        let first = try await fixture.begin()
        let second = try await fixture.board.start("job", input: [:], actor: "Ana").run
        let told = try await fixture.delivery { $0.facts.run == second && $0.status == .delivered }
        #expect(told.facts.phase == .idle)
        await fixture.open(first)
        await fixture.board.outcome(of: second)
        await fixture.stop()
    }

    @Test func `nobody is told of a run that is in time, or of which nothing is known`() async throws {
        let receiver = try await Receiver()
        let fixture = try await Fixture([try .webhook(receiver.url, [.slow, .failed])])
        let unknown = try await fixture.begin()
        fixture.clock.advance(by: .seconds(3_600))
        await fixture.open(unknown)
        try await fixture.learn()
        let run = try await fixture.run(failing: "No.")
        let told = try await fixture.delivery { $0.status == .delivered }
        #expect(told.facts.run == run && told.facts.event == .failed)
        #expect(receiver.requests.value.count == 1)
        await fixture.stop()
    }
}
