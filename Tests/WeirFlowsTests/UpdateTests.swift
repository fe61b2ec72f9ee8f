import Testing
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct UpdateTests {
    struct Refused: Error {}

    // B1
    @Test func `increments from many threads add up`() async {
        let flow = MutableStateFlow(0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<2_000 { flow.update { $0 + 1 } } }
            }
        }
        #expect(flow.value == 16_000)
    }

    // B2
    @Test func `update returns the pair that was really committed`() async {
        let flow = MutableStateFlow(0)
        let pairs = Seen<Int>()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 {
                        let (old, new) = flow.update { $0 + 1 }
                        if new == old + 1 { pairs.add(old) }
                    }
                }
            }
        }
        #expect(pairs.all.sorted() == Array(0..<2_000))
        #expect(flow.update { $0 } == (2_000, 2_000))
    }

    // B3
    @Test func `a transform that throws changes nothing, wakes nobody, and the flow stays usable`() {
        let flow = MutableStateFlow(1)
        let seen = Seen<Int>()
        let subscription = flow.subscribe(.lossless) { seen.add($0) }
        #expect(throws: Refused.self) { try flow.update { _ in throw Refused() } }
        #expect(throws: Refused.self) {
            try flow.mutate {
                $0 = 9
                throw Refused()
            }
        }
        #expect(flow.value == 1)
        flow.update { $0 + 1 }
        #expect(seen.all == [1, 2])
        subscription.cancel()
    }

    // B4
    @Test func `the transform of update may run again, the body of mutate runs once`() {
        let flow = MutableStateFlow(0)
        var transforms = 0
        flow.update { value in
            transforms += 1
            if transforms == 1 { flow.value = 10 }  // another writer is faster
            return value + 1
        }
        #expect(transforms == 2)
        #expect(flow.value == 11)
        var bodies = 0
        let result = flow.mutate { value in
            bodies += 1
            value += flow.value
            return "done"
        }
        #expect(bodies == 1)
        #expect(result == "done")
        #expect(flow.value == 22)
    }

    // B5
    @Test func `compare and set`() {
        let flow = MutableStateFlow(1)
        let seen = Seen<Int>()
        let subscription = flow.subscribe(.lossless) { seen.add($0) }
        #expect(flow.compareAndSet(expect: 1, update: 1))
        #expect(!flow.compareAndSet(expect: 2, update: 3))
        #expect(seen.all == [1])
        #expect(flow.compareAndSet(expect: 1, update: 2))
        #expect(seen.all == [1, 2])
        subscription.cancel()
    }

    // B6
    @Test func `under eight writers a slow updater does not starve`() async {
        let flow = MutableStateFlow(0)
        let isDone = MutableStateFlow(false)
        await onThreads(9) { number in
            guard number == 8 else {
                while !isDone.value { flow.update { $0 &+ 1 } }
                return
            }
            var runs = 0
            flow.update { value in
                runs += 1
                // As long as the updater does not have the flow for itself, somebody else is faster.
                if runs <= 8 { while flow.value == value {} }
                return value &+ 1_000_000
            }
            #expect(runs == 9)
            isDone.value = true
        }
    }

    // B7
    @Test func `writing another flow from within mutate works`() {
        let flow = MutableStateFlow(0)
        let other = MutableStateFlow(0)
        flow.mutate { value in
            value = 1
            other.mutate { $0 = 2 }
        }
        #expect(flow.value == 1)
        #expect(other.value == 2)
    }

    // B7
    @Test func `writing the same flow from within mutate stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let flow = MutableStateFlow(0)
            flow.mutate { _ in flow.value = 1 }
        }
    }
}
