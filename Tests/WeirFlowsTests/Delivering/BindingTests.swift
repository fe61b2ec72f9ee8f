import Observation
import Testing
import WeirFlows

@MainActor @Suite struct BindingTests {
    @MainActor @Observable final class ViewModel {
        private(set) var state: Int {
            didSet { seen.append(state) }
        }
        @ObservationIgnored private(set) var seen: [Int] = []
        @ObservationIgnored private var binding: FlowSubscription?

        init(_ flow: some StateFlow<Int>) {
            state = flow.value
            binding = collect(flow, into: \.state)
        }
    }

    @MainActor @Observable final class Plain {
        var state = -1
    }

    // F9
    @Test func `bindings on the main actor apply every state in order`() async {
        let flow = MutableStateFlow(0)
        let model = ViewModel(flow)
        #expect(model.state == 0)
        await onThreads(1) { _ in for value in 1...1_000 { flow.value = value } }
        flow.finish()
        _ = await flow.subscriptionCount.first { $0 == 0 }
        #expect(model.seen.suffix(1_000) == (1...1_000).suffix(1_000))
    }

    // F8
    @Test func `a binding ends with its object, without waiting for another value`() async {
        let flow = MutableStateFlow(0)
        var model: ViewModel? = ViewModel(flow)
        #expect(flow.subscriptionCount.value == 1)
        weak let object = model
        withExtendedLifetime(model) {}
        model = nil
        #expect(flow.subscriptionCount.value == 0)
        // The task that served it has nothing of it either.
        #expect(object == nil)
    }

    // F8
    @Test func `a binding kept elsewhere does not keep the object, and stops at the next value`() async {
        let flow = MutableStateFlow(0)
        var target: Plain? = Plain()
        let binding = target?.collect(flow, .conflated, into: \.state)
        #expect(target?.state == 0)
        weak let object = target
        target = nil
        #expect(object == nil)
        flow.value = 1
        _ = await flow.subscriptionCount.first { $0 == 0 }
        binding?.cancel()
    }

    @Test func `a cancelled binding applies nothing more`() async {
        let flow = MutableStateFlow(0)
        let target = Plain()
        let binding = target.collect(flow, into: \.state)
        flow.value = 1
        binding.cancel()
        await Task.yield()
        #expect(target.state == 0)
    }
}
