/// When to start, stop and reset the collection of a shared flow, as a pure state machine.
///
/// Each collection has a number, so that a late event of an older one can be recognised; each wait has one for the same
/// reason.
struct SharingMachine {
    enum Action: Equatable {
        case start(collection: Int)
        case stop(collection: Int)
        /// Calls ``SharingMachine/elapsed(wait:)`` after the duration.
        case wait(Duration, number: Int)
        /// Ends the current wait.
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
    /// The number of the latest collection.
    private(set) var collection = 0

    init(_ started: SharingStarted) {
        rule = started.rule
    }

    /// Whether values of a collection still count.
    func isCurrent(_ collection: Int) -> Bool {
        isCollecting && collection == self.collection
    }

    /// Whether nothing was collected after the collection that was stopped.
    func isLast(_ collection: Int) -> Bool {
        !isCollecting && collection == self.collection
    }

    /// What to do before the first subscriber.
    mutating func begin() -> [Action] {
        rule == .eagerly ? start() : []
    }

    /// What to do after the number of subscribers changed.
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

    /// What to do after a wait is over.
    mutating func elapsed(wait number: Int) -> [Action] {
        guard number == wait else { return [] }
        isWaiting = false
        return isCollecting ? stop() : [.reset(afterCollection: collection)]
    }

    /// Records that a collection has failed: the next subscriber starts another.
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
