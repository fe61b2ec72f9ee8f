import WeirBoards
import WeirFlows

/// The states of a run of steps.
final class GraphLog: Sendable {
    struct Change: Sendable, CustomStringConvertible {
        let step: String
        let state: String
        var description: String { "\(step) \(state)" }
    }

    private struct Core {
        var state = StepsState.initial
        var changes: [Change] = []
        var flow: MutableStateFlow<StepsState>?
        var subscription: FlowSubscription?
    }

    private let core = Locked(Core())
    /// Changes with every state, every run of a step, and every sleep.
    let news = MutableStateFlow(0)

    /// The state of the run, or nil while its changes are being delivered.
    var current: StepsState? {
        let (state, flow) = core.withLock { ($0.state, $0.flow) }
        return flow?.value == state ? state : nil
    }

    var state: StepsState { core.withLock(\.state) }
    var changes: [Change] { core.withLock(\.changes) }

    func count() { news.mutate { $0 &+= 1 } }

    func follow(_ flow: MutableStateFlow<StepsState>) {
        core.withLock { $0.flow = flow }
        let subscription = flow.subscribe(.lossless) { [weak self] in
            self?.take($0)
        } onEnd: { _ in
        }
        core.withLock { $0.subscription = subscription }
    }

    private func take(_ state: StepsState) {
        core.withLock { core in
            for (index, step) in state.steps.steps.enumerated() {
                let before =
                    core.state.steps.steps.indices.contains(index) ? core.state.steps.steps[index].status : .pending
                guard step.status != before else { continue }
                core.changes.append(Change(step: step.name, state: step.status.rawValue))
            }
            core.state = state
        }
        count()
    }
}
