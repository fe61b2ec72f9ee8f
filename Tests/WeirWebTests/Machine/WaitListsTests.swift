import NIOConcurrencyHelpers
import Testing
import WeirJournals

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15))) struct WaitListsTests {
    private let clock = ManualClock()
    private let source = ManualHead()
    private let gone = NIOLockedValueBox<[(Int, WaitOutcome)]>([])

    private func makeRoom() -> WaitLists<Int> {
        let gone = gone
        return WaitLists(source: source, clock: clock) { releases in
            gone.withLockedValue { list in list += releases.map { ($0.waiter, $0.outcome) } }
        }
    }

    // Protocol test 15
    @Test func `ten thousand topics with one viewer each are all woken, and their wait lists removed afterwards`() {
        let waitLists = makeRoom()
        for index in 0..<10_000 {
            guard case .held = waitLists.enter(index, topic: .run("r\(index)"), after: 0, until: 13_000) else {
                Issue.record("was not held")
                return
            }
        }
        #expect(waitLists.count == 10_000)
        for index in 0..<10_000 { source.publish(.run("r\(index)"), 1) }
        #expect(gone.withLockedValue { $0.isEmpty })
        clock.runAll(until: 1)
        #expect(Set(gone.withLockedValue { $0.map(\.0) }).count == 10_000)
        #expect(waitLists.count == 0)
        clock.runAll(until: 20_000)
        #expect(waitLists.waitListCount == 0)
        #expect(source.observerCount == 0)
    }

    @Test func `the end of a topic is heard by those who wait, and by those who come too late to be told`() {
        let waitLists = makeRoom()
        _ = waitLists.enter(1, topic: .output("r"), after: 0, until: 13_000)
        source.end(.output("r"))
        #expect(gone.withLockedValue { $0.isEmpty })
        clock.advance(by: 1)
        #expect(gone.withLockedValue { $0.map(\.1) } == [.ended])
        guard case .ended = waitLists.enter(2, topic: .output("r"), after: 0, until: 13_000) else {
            Issue.record("was held")
            return
        }
    }

    // Protocol test 11
    @Test func `one who leaves is not told, and leaves nothing behind`() {
        let waitLists = makeRoom()
        guard case .held(let place) = waitLists.enter(1, topic: .board, after: 0, until: 13_000) else {
            Issue.record("was not held")
            return
        }
        #expect(place.leave())
        #expect(!place.leave())
        source.publish(.board, 1)
        clock.advance(by: 20_000)
        #expect(gone.withLockedValue { $0.isEmpty })
        #expect(waitLists.waitListCount == 0)
        #expect(clock.pending == 0)
    }

    @Test func `a topic has one timer at a time, however many wait`() {
        let waitLists = makeRoom()
        for index in 0..<1_000 { _ = waitLists.enter(index, topic: .board, after: 0, until: 13_000) }
        #expect(clock.pending <= 2)
    }

    // Protocol test 2
    @Test func `publishing races waiting on two threads, and nobody is forgotten`() async {
        let waitLists = makeRoom()
        let source = source
        let gone = gone
        let clock = clock
        let rounds = 2_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 1...rounds { source.publish(.board, SequenceNumber(clamping: round)) }
            }
            group.addTask {
                for round in 0..<rounds {
                    if case .pass = waitLists.enter(
                        round, topic: .board, after: SequenceNumber(clamping: round), until: 1_000_000)
                    {
                        gone.withLockedValue { $0.append((round, .published)) }
                    }
                }
            }
        }
        clock.advance(by: 200)
        #expect(Set(gone.withLockedValue { $0.map(\.0) }).count == rounds)
        #expect(waitLists.count == 0)
    }

    // Protocol test 2
    @Test func `a change in the moment in which the first viewer of a topic comes is told to the second`() {
        let source = LateObservation()
        let gone = gone
        let waitLists = WaitLists<Int>(source: source, clock: clock) { releases in
            gone.withLockedValue { list in list += releases.map { ($0.waiter, $0.outcome) } }
        }
        // While the first still makes the wait list, the second takes its place there, and the change comes that nobody is
        // called about.
        source.beforeObserving.withLockedValue {
            $0 = {
                guard case .held = waitLists.enter(2, topic: .board, after: 0, until: 13_000) else {
                    Issue.record("was not held")
                    return
                }
                source.current.withLockedValue { $0 = 1 }
            }
        }
        guard case .pass(head: 1) = waitLists.enter(1, topic: .board, after: 0, until: 13_000) else {
            Issue.record("was held")
            return
        }
        clock.advance(by: 100)
        #expect(gone.withLockedValue { $0.map(\.0) } == [2])
        #expect(gone.withLockedValue { $0.map(\.1) } == [.published])
    }

    @Test func `draining tells everybody within its time`() {
        let waitLists = makeRoom()
        for index in 0..<100 { _ = waitLists.enter(index, topic: .run("r\(index % 10)"), after: 0, until: 13_000) }
        waitLists.drain(spread: 1_500)
        clock.advance(by: 1_500)
        let list = gone.withLockedValue { $0 }
        #expect(list.count == 100)
        #expect(list.allSatisfy { $0.1 == .drained })
        guard case .draining = waitLists.enter(1, topic: .board, after: 0, until: 13_000) else {
            Issue.record("was let in")
            return
        }
    }
}

/// A feed that something happens to just before it is observed.
private final class LateObservation: HeadSource {
    let current = NIOLockedValueBox<SequenceNumber>(0)
    let beforeObserving = NIOLockedValueBox<(@Sendable () -> Void)?>(nil)

    func head(of topic: Topic) -> SequenceNumber { current.withLockedValue { $0 } }

    func isEnded(_ topic: Topic) -> Bool { false }

    func watchHead(of topic: Topic, onMove: @escaping @Sendable (SequenceNumber) -> Void) -> any Sendable {
        beforeObserving.withLockedValue { $0 }?()
        return 0
    }
}
