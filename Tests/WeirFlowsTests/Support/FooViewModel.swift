import Observation
import WeirFlows

/// The view model of the same text.
@MainActor @Observable final class FooViewModel {
    private let operation: FooOperation
    private(set) var state: FooOperation.State {
        didSet { shown.append(state) }
    }
    /// Every state the property passed through.
    @ObservationIgnored private(set) var shown: [FooOperation.State] = []
    @ObservationIgnored private var binding: FlowSubscription?

    init(operation: FooOperation) {
        self.operation = operation
        state = operation.state.value
        binding = collect(operation.state, into: \.state)
    }

    func start() -> FlowJob {
        operation.perform()
    }
}
