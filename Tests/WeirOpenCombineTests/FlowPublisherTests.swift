import Testing
import WeirFlows
import WeirOpenCombine

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

@Suite(.timeLimit(.minutes(15))) struct FlowPublisherTests {
    // H1
    @Test func `the subscription comes before any value`() {
        let flow = MutableStateFlow(1)
        let subscriber = ManualSubscriber<Int, Never>()
        flow.publisher().subscribe(subscriber)
        #expect(subscriber.events == ["subscription"])
        subscriber.request(.unlimited)
        flow.value = 2
        #expect(subscriber.events == ["subscription", "1", "2"])
        subscriber.cancel()
    }

    // H2
    @Test func `with no demand nothing comes; with later demand the latest, or the next`() {
        let flow = MutableStateFlow(0)
        let conflated = ManualSubscriber<Int, Never>()
        let lossless = ManualSubscriber<Int, Never>()
        flow.publisher(.conflated).subscribe(conflated)
        flow.publisher(.lossless).subscribe(lossless)
        for value in 1...3 { flow.value = value }
        #expect(conflated.events == ["subscription"])
        #expect(lossless.events == ["subscription"])
        conflated.request(.max(1))
        lossless.request(.max(2))
        #expect(conflated.events == ["subscription", "3"])
        #expect(lossless.events == ["subscription", "0", "1"])
        conflated.request(.max(1))
        flow.value = 4
        flow.value = 5
        #expect(conflated.events == ["subscription", "3", "4"])
        #expect(lossless.events.count == 3)
        lossless.request(.unlimited)
        #expect(lossless.events == ["subscription", "0", "1", "2", "3", "4", "5"])
        conflated.cancel()
        lossless.cancel()
    }

    // H2
    @Test func `what a subscriber answers to a value is demand too`() {
        let flow = MutableStateFlow(0)
        let subscriber = ManualSubscriber<Int, Never>(answer: 1)
        flow.publisher(.lossless).subscribe(subscriber)
        for value in 1...3 { flow.value = value }
        subscriber.request(.max(1))
        #expect(subscriber.events == ["subscription", "0", "1", "2", "3"])
        subscriber.cancel()
    }

    // H3
    @Test func `there is exactly one terminal event, after what is pending`() {
        let flow = MutableStateFlow(0)
        let subscriber = ManualSubscriber<Int, Never>()
        flow.publisher(.lossless).subscribe(subscriber)
        flow.value = 1
        flow.finish()
        flow.finish()
        #expect(subscriber.events == ["subscription"])
        subscriber.request(.max(1))
        #expect(subscriber.events == ["subscription", "0"])
        subscriber.request(.max(1))
        #expect(subscriber.events == ["subscription", "0", "1", "finished"])
        subscriber.request(.unlimited)
        subscriber.cancel()
        #expect(subscriber.events.count == 4)
        #expect(flow.subscriptionCount.value == 0)
    }

    // H3
    @Test func `after a cancel there is no event at all`() {
        let flow = MutableStateFlow(0)
        let subscriber = ManualSubscriber<Int, Never>()
        flow.publisher().subscribe(subscriber)
        subscriber.request(.unlimited)
        subscriber.cancel()
        flow.value = 1
        flow.finish()
        #expect(subscriber.events == ["subscription", "0"])
    }

    // H4
    @Test func `cancelling from within receive is safe, and so it is from another thread`() async {
        let flow = MutableStateFlow(0)
        let own = ManualSubscriber<Int, Never> { subscriber, value in if value == 2 { subscriber.cancel() } }
        flow.publisher(.lossless).subscribe(own)
        own.request(.unlimited)
        for value in 1...4 { flow.value = value }
        #expect(own.events == ["subscription", "0", "1", "2"])
        for _ in 0..<200 {
            let flow = MutableStateFlow(0)
            let other = ManualSubscriber<Int, Never>()
            flow.publisher(.lossless).subscribe(other)
            other.request(.unlimited)
            await withTaskGroup { group in
                group.addTask { for value in 1...20 { flow.value = value } }
                group.addTask { other.cancel() }
            }
            let values = other.events.dropFirst()
            #expect(Array(values) == values.indices.map { String($0 - 1) })
            #expect(flow.subscriptionCount.value == 0)
        }
    }

    final class Held: Sendable {}

    // H4
    @Test func `after a cancel nothing holds the subscriber`() {
        let flow = MutableStateFlow(0)
        var held: Held? = Held()
        weak let object = held
        let cancellable = flow.publisher().sink { [held] _ in withExtendedLifetime(held) {} }
        held = nil
        #expect(object != nil)
        cancellable.cancel()
        #expect(object == nil)
        #expect(flow.subscriptionCount.value == 0)
    }

    struct Position: Hashable, Sendable {
        var latitude: Double
        var longitude: Double
    }

    final class PositionModel {
        var position = Position(latitude: 0, longitude: 0)
        var text = ""
    }

    // H5
    @Test func `map and assign work as with any publisher: the position of the space station`() {
        let positions = MutableStateFlow(Position(latitude: 1, longitude: 2))
        let model = PositionModel()
        let publisher = positions.asStateFlow().publisher()
        var subscriptions: Set<AnyCancellable> = []
        publisher.assign(to: \.position, on: model).store(in: &subscriptions)
        publisher
            .map { "ISS Position = (\($0.latitude), \($0.longitude))" }
            .assign(to: \.text, on: model)
            .store(in: &subscriptions)
        #expect(model.text == "ISS Position = (1.0, 2.0)")
        positions.value = Position(latitude: 3, longitude: 4)
        #expect(model.position == Position(latitude: 3, longitude: 4))
        #expect(model.text == "ISS Position = (3.0, 4.0)")
        subscriptions = []
        positions.value = Position(latitude: 5, longitude: 6)
        #expect(model.text == "ISS Position = (3.0, 4.0)")
        #expect(positions.subscriptionCount.value == 0)
    }

    @Test func `a derived flow is published too`() {
        let flow = MutableStateFlow(1)
        let subscriber = ManualSubscriber<Int, Never>()
        flow.mapState { $0 * 2 }.publisher(.lossless).subscribe(subscriber)
        subscriber.request(.unlimited)
        flow.value = 2
        #expect(subscriber.events == ["subscription", "2", "4"])
        subscriber.cancel()
        #expect(flow.subscriptionCount.value == 0)
    }
}
