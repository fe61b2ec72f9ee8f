/// A flow that is collected once, in a scope, for all its subscribers.
///
/// It lives until its scope is cancelled, which ends its subscribers' sequences; releasing the flow ends nothing.
final class SharedFlow<Upstream: AsyncSequence & Sendable>: Sendable where Upstream.Element: Sendable {
    typealias Element = Upstream.Element

    private let upstream: Upstream
    private let initial: Element
    private let scope: FlowScope
    private let clock: any Clock<Duration>
    private let onFailure: (@Sendable (any Error) -> Void)?
    private let state: FlowStorage<Element>
    private let machine: Locked<SharingMachine>
    private let running = Locked(Running())

    private struct Running {
        var collections: [Int: FlowJob] = [:]
        var wait: FlowJob?
    }

    init(
        _ upstream: Upstream, _ scope: FlowScope, _ started: SharingStarted, initial: Element,
        clock: any Clock<Duration>, state: FlowStorage<Element>, onFailure: (@Sendable (any Error) -> Void)?
    ) {
        self.upstream = upstream
        self.scope = scope
        self.initial = initial
        self.clock = clock
        self.state = state
        self.onFailure = onFailure
        machine = Locked(SharingMachine(started))
    }

    func begin() {
        perform(machine.withLock { $0.begin() })
        let subscription = state.subscriptionCount.observe(.lossless) { [weak self] count in
            guard let self else { return }
            perform(machine.withLock { $0.subscribers(count) })
        } onEnd: {
        }
        scope.onCancel { [self] in
            subscription.cancel()
            state.finish()
        }
    }

    private func perform(_ actions: [SharingMachine.Action]) {
        for action in actions {
            switch action {
            case .start(let collection):
                let job = scope.launch { [self] in await collect(collection) }
                running.withLock { $0.collections[collection] = job }
            case .stop(let collection):
                running.withLock { $0.collections.removeValue(forKey: collection) }?.cancel()
            case .wait(let duration, let number):
                let job = scope.launch { [self] in
                    try await clock.sleep(for: duration)
                    perform(machine.withLock { $0.elapsed(wait: number) })
                }
                running.withLock { $0.wait = job }
            case .endWait:
                running.withLock { $0.wait }?.cancel()
            case .reset(let collection):
                _ = state.update { [initial] value in
                    machine.withLock { $0.isLast(collection) } ? initial : value
                }
            }
        }
    }

    private func collect(_ collection: Int) async {
        do {
            for try await value in upstream {
                // An older collection that does not check for cancellation must still not publish.
                _ = state.update { old in machine.withLock { $0.isCurrent(collection) } ? value : old }
                if Task.isCancelled { return }
            }
        } catch {
            if Task.isCancelled || error is CancellationError { return }
            machine.withLock { $0.failed(collection: collection) }
            onFailure?(error)
        }
    }
}
