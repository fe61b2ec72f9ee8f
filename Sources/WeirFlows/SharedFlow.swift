/// A flow that is collected once, in a scope, for all its subscribers.
///
/// It lives until its scope is cancelled, which ends its subscribers' sequences.
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
                // An older collection that does not check for cancellation must not publish.
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

/// Decides when a shared flow starts, stops and resets its collection, as a pure state machine.
///
/// Collections and waits are numbered, so that late events of older ones can be recognised.
struct SharingMachine {
    enum Action: Equatable {
        case start(collection: Int)
        case stop(collection: Int)
        /// Calls ``SharingMachine/elapsed(wait:)`` after the duration.
        case wait(Duration, number: Int)
        case endWait
        /// Restores the initial value, unless another collection has begun.
        case reset(afterCollection: Int)
    }

    private let rule: SharingStarted.Rule
    private var subscribers = 0
    private var isCollecting = false
    private var hasFailed = false
    private var wait = 0
    private var isWaiting = false
    private(set) var collection = 0

    init(_ started: SharingStarted) {
        rule = started.rule
    }

    /// Whether a collection may publish values.
    func isCurrent(_ collection: Int) -> Bool {
        isCollecting && collection == self.collection
    }

    /// Whether no collection has started since the given one stopped.
    func isLast(_ collection: Int) -> Bool {
        !isCollecting && collection == self.collection
    }

    mutating func begin() -> [Action] {
        rule == .eagerly ? start() : []
    }

    mutating func subscribers(_ count: Int) -> [Action] {
        defer { subscribers = count }
        if count > subscribers {
            let endWait: [Action] = isWaiting ? [.endWait] : []
            wait += 1
            isWaiting = false
            return !isCollecting || hasFailed ? endWait + start() : endWait
        } else if count == 0, subscribers > 0, case .whileSubscribed(let timeout, _) = rule, isCollecting {
            return timeout > .zero ? [wait(for: timeout)] : stop()
        }
        return []
    }

    mutating func elapsed(wait number: Int) -> [Action] {
        guard number == wait else { return [] }
        isWaiting = false
        return isCollecting ? stop() : [.reset(afterCollection: collection)]
    }

    /// Records the failure of a collection: the next subscriber starts another.
    mutating func failed(collection: Int) {
        if isCurrent(collection) { hasFailed = true }
    }

    private mutating func start() -> [Action] {
        isCollecting = true
        hasFailed = false
        collection += 1
        return [.start(collection: collection)]
    }

    private mutating func stop() -> [Action] {
        isCollecting = false
        let stop = Action.stop(collection: collection)
        guard case .whileSubscribed(_, let expiration?) = rule else { return [stop] }
        if expiration <= .zero { return [stop, .reset(afterCollection: collection)] }
        return [stop, wait(for: expiration)]
    }

    private mutating func wait(for duration: Duration) -> Action {
        wait += 1
        isWaiting = true
        return .wait(duration, number: wait)
    }
}
