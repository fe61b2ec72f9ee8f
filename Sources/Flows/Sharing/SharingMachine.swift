/// When to start, stop and reset the collection of a shared flow, as a pure state machine.
///
/// Each collection has a number, so that what comes late from an older one is known for what it is; each wait has one for
/// the same reason.
struct SharingMachine {
    enum Action: Equatable {
        case start(collection: Int)
        case stop(collection: Int)
        /// Comes back to ``SharingMachine/elapsed(wait:)`` after the duration.
        case wait(Duration, number: Int)
        /// Gives up the wait that is going on.
        case endWait
        /// Puts the initial value back, unless another collection has begun.
        case reset(afterCollection: Int)
    }

    private let rule: SharingStarted.Rule
    private var subscribers = 0
    private var isCollecting = false
    private var hasFailed = false
    private var wait = 0
    private var isWaiting = false
    /// The number of the collection begun last.
    private(set) var collection = 0

    init(_ started: SharingStarted) {
        rule = started.rule
    }

    /// Whether values of a collection still count.
    func isCurrent(_ collection: Int) -> Bool {
        isCollecting && collection == self.collection
    }

    /// Whether nothing was collected after a collection that was stopped.
    func isLast(_ collection: Int) -> Bool {
        !isCollecting && collection == self.collection
    }

    /// What to do before the first subscriber.
    mutating func begin() -> [Action] {
        rule == .eagerly ? start() : []
    }

    /// What to do now that there are so many subscribers.
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

    /// What to do now that a wait is over.
    mutating func elapsed(wait number: Int) -> [Action] {
        guard number == wait else { return [] }
        isWaiting = false
        return isCollecting ? stop() : [.reset(afterCollection: collection)]
    }

    /// Notes that a collection has failed: the next subscriber that comes starts another.
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
