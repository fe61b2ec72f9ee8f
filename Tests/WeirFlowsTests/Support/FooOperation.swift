import WeirFlows
import WeirStates

/// The operation of the text "StateFlow on KMP and SwiftUI", in Swift: a greeting fetched over some network.
final class FooOperation: Sendable {
    enum State: Hashable, Sendable {
        case none
        case loading
        case success(greeting: String)
        case error(message: String)
        case cancelled
    }

    private let scope = FlowScope()
    private let current = MutableStateFlow(State.none)
    private let network: @Sendable () async throws -> String

    init(network: @escaping @Sendable () async throws -> String = { "Hello World!" }) {
        self.network = network
    }

    var state: ReadOnlyStateFlow<State> { current.asStateFlow() }

    @discardableResult
    func perform() -> FlowJob {
        scope.launch { [self] in
            current.value = .loading
            do {
                current.value = .success(greeting: try await network())
            } catch is CancellationError {
                current.value = .cancelled
            } catch {
                current.value = .error(message: error.explanation)
            }
        }
    }
}
