import Testing
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct DerivedTests {
    // E11
    @Test func `a derived value is fresh with no subscriber`() {
        let flow = MutableStateFlow(1)
        let other = MutableStateFlow("a")
        let doubled = flow.mapState { $0 * 2 }
        let combined = doubled.combineState(other) { "\($0)\($1)" }
        flow.value = 5
        other.value = "b"
        #expect(doubled.value == 10)
        #expect(combined.value == "10b")
        #expect(flow.subscriptionCount.value == 0)
    }

    // E11
    @Test func `a diamond shows no torn pair, neither in its value nor to a subscriber`() async {
        let flow = MutableStateFlow(0)
        let pair = flow.mapState { $0 }.combineState(flow.mapState { -$0 }) { [$0, $1] }
        let torn = MutableStateFlow(0)
        let subscription = pair.subscribe(.conflated) { if $0[0] != -$0[1] { torn.update { $0 + 1 } } }
        await onThreads(3) { number in
            for _ in 0..<2_000 {
                if number == 0 {
                    let now = pair.value
                    if now[0] != -now[1] { torn.update { $0 + 1 } }
                } else {
                    flow.update { $0 + 1 }
                }
            }
        }
        #expect(torn.value == 0)
        #expect(pair.value == [4_000, -4_000])
        subscription.cancel()
    }

    // E11
    @Test func `a value of two flows is of one moment`() async {
        let first = MutableStateFlow(0)
        let second = MutableStateFlow(0)
        // The second is never ahead of the first, nor more than one behind.
        let difference = second.combineState(first) { $1 - $0 }
        let wrong = MutableStateFlow(0)
        await onThreads(2) { number in
            for step in 1...5_000 {
                if number == 0 {
                    first.value = step
                    second.value = step
                } else if !(0...1).contains(difference.value) {
                    wrong.update { $0 + 1 }
                }
            }
        }
        #expect(wrong.value == 0)
    }

    @Test func `lossless stays lossless, and equal values are no change`() {
        let flow = MutableStateFlow(0)
        let seen = Seen<Int>()
        let subscription = flow.mapState { $0 / 2 }.subscribe(.lossless) { seen.add($0) }
        for value in 1...5 { flow.value = value }
        #expect(seen.all == [0, 1, 2])
        subscription.cancel()
        #expect(flow.subscriptionCount.value == 0)
    }

    @Test func `combining hears of each flow and ends with the last of them`() {
        let first = MutableStateFlow(1)
        let second = MutableStateFlow(1)
        let seen = Seen<Int>()
        let ends = Seen<FlowEnd>()
        let subscription = first.combineState(second) { $0 * 10 + $1 }
            .subscribe(.lossless, onValue: { seen.add($0) }, onEnd: { ends.add($0) })
        first.value = 2
        second.value = 2
        first.finish()
        second.value = 3
        #expect(ends.all.isEmpty)
        second.finish()
        #expect(seen.all == [11, 21, 22, 23])
        #expect(ends.all == [.finished])
        subscription.cancel()
    }

    @Test func `an iterator of a derived flow lets go of the flow it is made of`() async {
        let flow = MutableStateFlow(1)
        for await value in flow.mapState({ $0 + 1 }) {
            #expect(value == 2)
            #expect(flow.subscriptionCount.value == 1)
            break
        }
        #expect(flow.subscriptionCount.value == 0)
    }

    @Test func `collecting the latest cancels the body of the one before`() async {
        let flow = MutableStateFlow(0)
        let trace = Seen<String>()
        let task = Task {
            await flow.collectLatest { value in
                trace.add("begin \(value)")
                if value < 2 { _ = await MutableStateFlow(0).first { $0 == 1 } }
                trace.add(Task.isCancelled ? "cancelled \(value)" : "end \(value)")
            }
        }
        for value in 1...2 {
            _ = await trace.count(atLeast: value * 2 - 1)
            flow.value = value
        }
        _ = await trace.count(atLeast: 6)
        flow.finish()
        #expect(await task.value == .finished)
        #expect(trace.all == ["begin 0", "cancelled 0", "begin 1", "cancelled 1", "begin 2", "end 2"])
    }

    struct Broken: Error {}

    @Test func `a body that throws ends collecting the latest, without waiting for another value`() async {
        let flow = MutableStateFlow(0)
        await #expect(throws: Broken.self) {
            try await flow.collectLatest { _ in throw Broken() }
        }
        #expect(flow.subscriptionCount.value == 0)
    }

    @Test func `cancelling who collects the latest leaves the flow at once, without waiting for another value`() async {
        let flow = MutableStateFlow(0)
        let began = Signal()
        let task = Task {
            await flow.collectLatest { _ in
                began.happen()
                _ = await MutableStateFlow(0).first { $0 == 1 }
            }
        }
        await began.wait()
        task.cancel()
        #expect(flow.subscriptionCount.value == 0)
        // Whoever still waited would wait forever.
        flow.finish()
        #expect(await task.value == .cancelled)
    }
}
