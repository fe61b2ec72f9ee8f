import Journals
import NIOConcurrencyHelpers
import Testing

@testable import Web

struct HoldRoomTests {
    private let clock = ManualClock()
    private let source = ManualHead()
    private let gone = NIOLockedValueBox<[(Int, HoldOutcome)]>([])

    private func makeRoom() -> HoldRoom<Int> {
        let gone = gone
        return HoldRoom(source: source, clock: clock) { releases in
            gone.withLockedValue { list in list += releases.map { ($0.ticket, $0.outcome) } }
        }
    }

    // Protocol test 15
    @Test func `ten thousand topics with one viewer each are all woken, and their benches given up afterwards`() {
        let room = makeRoom()
        for index in 0..<10_000 {
            guard case .held = room.enter(index, topic: .run("r\(index)"), after: 0, until: 13_000) else {
                Issue.record("was not held")
                return
            }
        }
        #expect(room.count == 10_000)
        for index in 0..<10_000 { source.publish(.run("r\(index)"), 1) }
        #expect(gone.withLockedValue { $0.isEmpty })
        clock.runAll(until: 1)
        #expect(Set(gone.withLockedValue { $0.map(\.0) }).count == 10_000)
        #expect(room.count == 0)
        clock.runAll(until: 20_000)
        #expect(room.benchCount == 0)
        #expect(source.observerCount == 0)
    }

    // Protocol test 11
    @Test func `one who leaves is not told, and leaves nothing behind`() {
        let room = makeRoom()
        guard case .held(let place) = room.enter(1, topic: .board, after: 0, until: 13_000) else {
            Issue.record("was not held")
            return
        }
        #expect(place.leave())
        #expect(!place.leave())
        source.publish(.board, 1)
        clock.advance(by: 20_000)
        #expect(gone.withLockedValue { $0.isEmpty })
        #expect(room.benchCount == 0)
        #expect(clock.pending == 0)
    }

    @Test func `a topic has one timer at a time, however many wait`() {
        let room = makeRoom()
        for index in 0..<1_000 { _ = room.enter(index, topic: .board, after: 0, until: 13_000) }
        #expect(clock.pending <= 2)
    }

    // Protocol test 2
    @Test func `publishing races waiting on two threads, and nobody is forgotten`() async {
        let room = makeRoom()
        let source = source
        let gone = gone
        let clock = clock
        let rounds = 2_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...rounds { source.publish(.board, Int64(round)) }
            }
            group.addTask {
                for round in 0..<rounds {
                    if case .pass = room.enter(round, topic: .board, after: Int64(round), until: 1_000_000) {
                        gone.withLockedValue { $0.append((round, .published)) }
                    }
                }
            }
        }
        clock.advance(by: 200)
        #expect(Set(gone.withLockedValue { $0.map(\.0) }).count == rounds)
        #expect(room.count == 0)
    }

    @Test func `draining tells everybody within its time`() {
        let room = makeRoom()
        for index in 0..<100 { _ = room.enter(index, topic: .run("r\(index % 10)"), after: 0, until: 13_000) }
        room.drain(spread: 1_500)
        clock.advance(by: 1_500)
        let list = gone.withLockedValue { $0 }
        #expect(list.count == 100)
        #expect(list.allSatisfy { $0.1 == .drained })
        guard case .draining = room.enter(1, topic: .board, after: 0, until: 13_000) else {
            Issue.record("was let in")
            return
        }
    }
}
