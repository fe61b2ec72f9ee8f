import Testing

@testable import WeirFlows

/// Subscribers that say how many values they want.
@Suite struct PacedTests {
    // H2
    @Test func `a subscriber is given as many as it asked for and no more, whether they are there or come later`() {
        let flow = MutableStateFlow(0)
        let seen = Seen<Int>()
        let subscription = flow.values(.lossless).subscribePaced {
            seen.add($0)
        } onEnd: { _ in
        }
        flow.value = 1
        flow.value = 2
        #expect(seen.all == [])
        subscription.request(2)
        #expect(seen.all == [0, 1])
        subscription.request(3)
        #expect(seen.all == [0, 1, 2])
        for value in 3...9 { flow.value = value }
        #expect(seen.all == [0, 1, 2, 3, 4])
        subscription.request(.max)
        #expect(seen.all == Array(0...9))
        for value in 10...12 { flow.value = value }
        #expect(seen.all == Array(0...12))
        subscription.cancel()
    }

    // H2
    @Test func `demands add up without bound`() {
        let flow = MutableStateFlow(0)
        let seen = Seen<Int>()
        let subscription = flow.values(.conflated).subscribePaced {
            seen.add($0)
        } onEnd: { _ in
        }
        subscription.request(.max)
        subscription.request(.max)
        for value in 1...3 { flow.value = value }
        #expect(seen.all == [0, 1, 2, 3])
        subscription.cancel()
    }

    // H2
    @Test func `a subscriber that has asked for nothing is not settled with, one that has is`() {
        let flow = MutableStateFlow(0)
        for demand in [0, 1, Int.max] {
            var machine = FlowMachine(0, replay: 0)
            let subscriber = PushSubscriber(flow.storage, .lossless, demand: demand, onValue: { _ in }, onEnd: nil)
            #expect(machine.join(subscriber, replays: false) == (demand > 0))
            #expect(subscriber.isBusy == (demand > 0))
        }
    }

    // H2
    @Test func `a value goes to whoever has asked for one, and not to who has asked for nothing beside them`() {
        let flow = MutableStateFlow(0)
        let (eager, idle) = (Seen<Int>(), Seen<Int>())
        let wanting = flow.values(.lossless).subscribePaced {
            eager.add($0)
        } onEnd: { _ in
        }
        let resting = flow.values(.lossless).subscribePaced {
            idle.add($0)
        } onEnd: { _ in
        }
        wanting.request(.max)
        for value in 1...3 { flow.value = value }
        #expect(eager.all == [0, 1, 2, 3] && idle.all == [])
        resting.request(2)
        #expect(idle.all == [0, 1])
        wanting.cancel()
        resting.cancel()
    }
}
