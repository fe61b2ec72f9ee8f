import Testing
import WeirFlows

@Suite(.timeLimit(.minutes(15))) struct EndTests {
    @Test func `a sealed flow does not change any more`() {
        let flow = MutableStateFlow(1)
        flow.finish()
        flow.value = 2
        flow.update { $0 + 1 }
        #expect(
            flow.mutate { value in
                value += 1
                return value
            } == 2)
        #expect(!flow.compareAndSet(expect: 1, update: 2))
        #expect(flow.value == 1)
        #expect(flow.isFinished)
    }

    @Test func `every subscriber gets what is pending, then the end`() async {
        let flow = MutableStateFlow(0)
        var lossless = flow.values(.lossless).makeAsyncIterator()
        var conflated = flow.values(.conflated).makeAsyncIterator()
        var buffered = flow.values(.buffered(2, onOverflow: .dropOldest)).makeAsyncIterator()
        let pushed = Seen<Int>()
        let ends = Seen<FlowEnd>()
        let subscription = flow.subscribe(.lossless, onValue: { pushed.add($0) }, onEnd: { ends.add($0) })
        for value in 1...3 { flow.value = value }
        #expect(flow.seal(with: 4))
        #expect(pushed.all == [0, 1, 2, 3, 4])
        #expect(ends.all == [.finished])
        for expected in 0...4 { #expect(await lossless.next() == expected) }
        #expect(await lossless.next() == nil)
        #expect(await conflated.next() == 4)
        #expect(await conflated.next() == nil)
        #expect(await buffered.next() == 3)
        #expect(await buffered.next() == 4)
        #expect(await buffered.next() == nil)
        #expect([lossless.end, conflated.end, buffered.end] == [.finished, .finished, .finished])
        #expect(flow.subscriptionCount.value == 0)
        subscription.cancel()
    }

    @Test func `who comes after the end gets the last value and the end`() async {
        let flow = MutableStateFlow(0)
        flow.seal(with: 1)
        let seen = Seen<Int>()
        #expect(await flow.collect(.lossless) { seen.add($0) } == .finished)
        let ends = Seen<FlowEnd>()
        let subscription = flow.subscribe(.conflated, onValue: { seen.add($0) }, onEnd: { ends.add($0) })
        #expect(seen.all == [1, 1])
        #expect(ends.all == [.finished])
        subscription.cancel()
    }

    @Test func `a waiting collector is woken by the end`() async {
        let flow = MutableStateFlow(0)
        let seen = Seen<Int>()
        async let end = flow.collect { seen.add($0) }
        _ = await seen.count(atLeast: 1)
        flow.finish()
        #expect(await end == .finished)
    }

    @Test func `exactly one end wins a race`() async {
        for _ in 0..<500 {
            let flow = MutableStateFlow(0)
            let winners = await withTaskGroup { group in
                for number in 1...4 { group.addTask { flow.seal(with: number) ? number : 0 } }
                group.addTask {
                    flow.value = 100
                    return 0
                }
                return await group.reduce(into: [Int]()) { if $1 > 0 { $0.append($1) } }
            }
            #expect(winners == [flow.value])
        }
    }

    @Test func `a flow can be sealed with a value made of the current one, whatever a faster writer made it`() {
        let flow = MutableStateFlow(1)
        var runs = 0
        #expect(
            flow.seal { current in
                runs += 1
                if runs == 1 { flow.value = 10 }
                return current + 1
            })
        #expect(runs == 2)
        #expect(flow.value == 11)
        #expect(!flow.seal { $0 + 1 })
    }
}
