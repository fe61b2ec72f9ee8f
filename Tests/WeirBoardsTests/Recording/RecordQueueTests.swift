import Testing
import TestSupport
import WeirJournals
import WeirStates

@testable import WeirBoards

@Suite(.timeLimit(.minutes(15))) struct RecordQueueTests {
    /// What was offered and what was recorded of one stream.
    struct Story {
        var offered: [StateRecord] = []
        var recorded: [ChangeDraft] = []
    }

    // K1, K6, K7
    @Test(arguments: 1...20)
    func `whatever comes in between, transitions are complete and ticks are the newest of their window`(
        seed: Int
    ) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var queue = RecordQueue()
        let streams = (0..<4).map { StreamID.run("r\($0)") }
        var stories: [StreamID: Story] = [:]
        func state(_ name: String, _ number: Int) -> StateRecord {
            StateRecord(caseName: name, payload: ["n": .integer(Int64(number))], phase: .active)
        }
        for stream in streams {
            stories[stream] = Story(offered: [state("a", 0)])
            queue.open(
                stream, subject: "op", state("a", 0), at: Timestamp(milliseconds: 0), cause: nil,
                opening: RunOpening(actor: "tester", input: [:]))
        }
        func write(_ limit: Int, fails: Bool = false, isQuiet: Bool = false) {
            let drafts = queue.take(limit)
            // What comes while the append is under way must not change what is on its way.
            if !isQuiet { offer(40_000) }
            if fails { return queue.giveBack() }
            for draft in drafts { stories[draft.stream]?.recorded.append(draft) }
            queue.confirm(drafts.count)
        }
        func offer(_ number: Int) {
            let stream = streams[Int(generator.next() % 4)]
            let next = state(generator.next() % 5 == 0 ? "b" : "a", number + Int(generator.next() % 30_000))
            queue.offer(stream, next, at: Timestamp(milliseconds: Int64(number)), cause: nil)
            if stories[stream]?.offered.last != next { stories[stream]?.offered.append(next) }
        }
        for number in 1...3_000 {
            switch generator.next() % 12 {
            case 0: _ = queue.openWindow()
            case 1: write(1 + Int(generator.next() % 6), fails: generator.next() % 3 == 0)
            default: offer(number)
            }
        }
        queue.releaseHeld()
        while queue.count > 0 { write(1_000, isQuiet: true) }
        for story in stories.values {
            #expect(story.recorded.map(\.revision) == (0..<story.recorded.count).map(Int64.init))
            #expect(story.recorded.last?.state == story.offered.last)
            expectLastOfEachCase(story)
        }
    }

    /// The offered and the recorded states fall into the same groups of one case, which begin and end with the same state.
    func expectLastOfEachCase(_ story: Story) {
        func groups(_ states: [StateRecord]) -> [(first: StateRecord, last: StateRecord)] {
            states.reduce(into: []) { groups, state in
                if groups.last?.last.caseName == state.caseName {
                    groups[groups.count - 1].last = state
                } else {
                    groups.append((state, state))
                }
            }
        }
        let (offered, recorded) = (groups(story.offered), groups(story.recorded.map(\.state)))
        #expect(offered.map(\.first) == recorded.map(\.first))
        #expect(offered.map(\.last) == recorded.map(\.last))
        let transitions = story.recorded.filter(\.isTransition).map(\.state)
        #expect(transitions == recorded.map(\.first))
        #expect(story.recorded.count < story.offered.count)
    }

    // K7
    @Test func `what waits does not grow with ticks`() {
        var queue = RecordQueue()
        let stream = StreamID.run("r")
        queue.open(
            stream, subject: "op", StateRecord(caseName: "a", phase: .active), at: Timestamp(milliseconds: 0),
            cause: nil, opening: RunOpening(actor: "tester", input: [:]))
        _ = queue.take(10)
        for number in 1...10_000 {
            let state = StateRecord(caseName: "a", payload: ["n": .integer(Int64(number))], phase: .active)
            queue.offer(stream, state, at: Timestamp(milliseconds: Int64(number)), cause: nil)
            _ = queue.openWindow()
            if number % 10 == 0 { queue.giveBack() }
        }
        #expect(queue.count == 2)
        #expect(queue.take(10).last?.state.payload == ["n": 10_000])
    }

    @Test func `the same state again is no change, and after its end a run has none`() {
        var queue = RecordQueue()
        let stream = StreamID.run("r")
        openEveryTick(&queue, stream)
        let end = StateRecord(caseName: "b", phase: .succeeded)
        for state in [tick(0), tick(1), tick(1), end, end, tick(2)] {
            queue.offer(stream, state, at: Timestamp(milliseconds: 1), cause: nil)
        }
        #expect(queue.take(10).map(\.state) == [tick(0), tick(1), end])
    }

    private func tick(_ number: Int) -> StateRecord {
        StateRecord(caseName: "a", payload: ["n": .integer(Int64(number))], phase: .active)
    }

    private func openEveryTick(_ queue: inout RecordQueue, _ stream: StreamID) {
        queue.open(
            stream, subject: "op", tick(0), at: Timestamp(milliseconds: 0), cause: nil,
            opening: RunOpening(actor: "tester", input: [:]), ticks: .every)
    }

    // K6
    @Test func `every tick is recorded of a run whose operation asks for it, and no window is opened`() {
        var queue = RecordQueue()
        let stream = StreamID.run("r")
        openEveryTick(&queue, stream)
        _ = queue.take(1)
        queue.confirm(1)
        for number in 1...500 { queue.offer(stream, tick(number), at: Timestamp(milliseconds: 1), cause: nil) }
        #expect(!queue.isSampling)
        let drafts = queue.take(1_000)
        #expect(drafts.map(\.state) == (1...500).map(tick))
        #expect(drafts.map(\.revision) == (1...500).map(Int64.init))
        #expect(drafts.allSatisfy { !$0.isTransition })
    }

    // K7
    @Test func `ticks of such a run are sampled again while too much waits, and none is out of order`() {
        var queue = RecordQueue(everyTickLimit: 100)
        let stream = StreamID.run("r")
        openEveryTick(&queue, stream)
        for number in 1...10_000 {
            queue.offer(stream, tick(number), at: Timestamp(milliseconds: Int64(number)), cause: nil)
            if number % 7 == 0 { _ = queue.openWindow() }
        }
        #expect(queue.count <= 101)
        queue.releaseHeld()
        let numbers = queue.take(1_000).compactMap { $0.state.payload["n"]?.integer }
        #expect(numbers.last == 10_000)
        #expect(numbers == numbers.sorted())
        #expect(numbers.starts(with: (0..<99).map(Int64.init)))
    }

    @Test func `a stream is left to another server once nothing of it waits, whatever else does`() {
        var queue = RecordQueue()
        let streams = [StreamID.run("a"), .run("b")]
        for stream in streams {
            queue.open(
                stream, subject: "op", StateRecord(caseName: "a", payload: [:], phase: .active),
                at: Timestamp(milliseconds: 0), cause: nil, opening: RunOpening(actor: "tester", input: [:]))
        }
        let early = streams.map { queue.leave($0) }
        #expect(early == [false, false])
        queue.confirm(queue.take(1).count)
        let late = streams.map { queue.leave($0) }
        #expect(late == [true, false])
    }

    @Test func `a place is settled by the changes before it, whatever is queued after it or dropped`() {
        var queue = RecordQueue()
        func open(_ name: String) -> Int {
            queue.open(
                .run(name), subject: "op", StateRecord(caseName: "a", payload: [:], phase: .active),
                at: Timestamp(milliseconds: 0), cause: nil, opening: RunOpening(actor: "tester", input: [:]))
            return queue.end
        }
        let (first, second, third) = (open("a"), open("b"), open("c"))
        queue.confirm(queue.take(1).count)
        #expect(queue.isSettled(before: first) && !queue.isSettled(before: second))
        queue.abandon(.run("b"))
        let fourth = open("d")
        queue.confirm(queue.take(1).count)
        #expect(queue.isSettled(before: second) && !queue.isSettled(before: fourth))
        queue.confirm(queue.take(1).count)
        #expect(queue.isSettled(before: third) && queue.count == 0)
    }

    @Test func `an end that is abandoned before it is held leaves nothing behind`() {
        var queue = RecordQueue()
        let stream = StreamID.run("a")
        queue.open(
            stream, subject: "op", StateRecord(caseName: "a", payload: [:], phase: .active),
            at: Timestamp(milliseconds: 0), cause: nil, opening: RunOpening(actor: "tester", input: [:]))
        queue.confirm(queue.take(1).count)
        queue.offer(
            stream, StateRecord(caseName: "b", payload: [:], phase: .succeeded), at: Timestamp(milliseconds: 1),
            cause: nil)
        #expect(queue.take(1).count == 1)
        queue.abandon(stream)
        queue.giveBack()
        queue.holdFirstEnd()
        #expect(queue.take(1).isEmpty)
        queue.releaseEnd(of: stream)
        #expect(queue.count == 0 && !queue.holdsEnds)
    }
}
