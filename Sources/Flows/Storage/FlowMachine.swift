/// What a flow is and who is in it, as a pure state machine.
///
/// One method per event, each returning what is to be done about it; the ``FlowStorage`` calls them under its lock and
/// does what they say after it. Nothing in here waits, calls a stranger's code, or lets go of the last reference to a
/// value.
///
/// Versions number the committed values from 1. A subscriber's `cursor` is the version it took last.
///
/// A subscriber that is pushed to is *idle* when it has been given everything it asked for: a commit hands an idle one
/// the new value directly, and one that is busy finds it when whoever is giving to it comes back to ``settle(_:)``.
struct FlowMachine<Value: Sendable> {
    typealias Seat = Flows.Seat<Value>

    /// What a subscriber finds when it looks for the next value.
    enum Taken {
        case value(Value, skipped: Bool)
        case end(FlowEnd)
        case nothing
    }

    /// What is to be done after a change.
    struct Wake {
        /// Subscribers that wait and now have something to take.
        var waiters: [Seat] = []
        /// Subscribers to be given the value that was just committed.
        var idle: [Seat] = []
        /// Subscribers to settle with, one by one.
        var pending: [Seat] = []
        /// Values nobody needs any more.
        var released: [Value] = []
    }

    private(set) var value: Value
    private(set) var version = 1
    private(set) var isSealed = false
    /// Whether a writer has reserved the flow for itself; see ``FlowStorage/reserve(_:)``.
    var isReserved = false
    private(set) var occupied = 0

    private(set) var log: ValueLog<Value>
    private let replay: Int
    private var pushed: [Seat] = []
    private var waiting: [Seat] = []
    private var buffered: [Seat] = []

    init(_ initial: Value, replay: Int) {
        value = initial
        self.replay = replay
        log = ValueLog(replay: replay)
        if replay > 1 { _ = log.append(initial, version: version) }
    }

    /// Whether nobody has to hear of a new value.
    var isQuiet: Bool { occupied == 0 && replay <= 1 }

    // MARK: Writing

    /// Makes a value the current one when nobody has to hear of it; returns the one before.
    mutating func replace(_ new: Value) -> Value {
        let old = value
        value = new
        version += 1
        return old
    }

    /// Makes a value the current one; returns the one before.
    mutating func commit(_ new: Value, _ wake: inout Wake) -> Value {
        let old = replace(new)
        if !isQuiet { announce(&wake) }
        return old
    }

    /// Lets no further value in.
    mutating func seal(_ wake: inout Wake) {
        isSealed = true
        wakeWaiters(&wake)
        for seat in pushed where !seat.isBusy {
            seat.isBusy = true
            wake.pending.append(seat)
        }
    }

    private mutating func announce(_ wake: inout Wake) {
        wakeWaiters(&wake)
        var handed = 0
        if !pushed.isEmpty {
            var busy = 0
            for seat in pushed {
                if seat.isBusy || seat.demand == 0 { busy += 1 }
            }
            wake.idle = busy == 0 ? pushed : pushed.filter { !$0.isBusy && $0.demand > 0 }
            for seat in wake.idle {
                seat.isBusy = true
                seat.cursor = version
                if seat.demand != .max { seat.demand -= 1 }
                if seat.isLossless { handed += 1 }
            }
        }
        for seat in buffered where seat.cursor != version {
            if let dropped = seat.buffer?.append(value) { wake.released.append(dropped) }
        }
        if log.needsAppend(handing: handed), let dropped = log.append(value, version: version, handing: handed) {
            wake.released.append(dropped)
        }
    }

    private mutating func wakeWaiters(_ wake: inout Wake) {
        guard !waiting.isEmpty else { return }
        swap(&wake.waiters, &waiting)
        for seat in wake.waiters { seat.index = -1 }
    }

    // MARK: Coming and going

    /// Lets a subscriber in: the current value, or the replayed ones, come first.
    ///
    /// - Returns: whether the caller is to settle with it at once.
    mutating func join(_ seat: Seat) -> Bool {
        occupied += 1
        seat.cursor = version - 1
        if seat.isLossless {
            if log.count == 0 { _ = log.append(value, version: version, handing: log.readersAtEnd) }
            if replay > 1, seat.replays { seat.cursor = max(log.start, version - replay + 1) - 1 }
            log.addReader(before: seat.cursor + 1)
        } else if seat.buffer != nil {
            buffered.append(seat)
            if replay > 1, seat.replays {
                log.forEach(from: version - replay + 1) { _ = seat.buffer?.append($0) }
            } else {
                _ = seat.buffer?.append(value)
            }
        }
        guard seat.receiver != nil else { return false }
        seat.index = pushed.count
        pushed.append(seat)
        seat.isBusy = seat.demand > 0
        return seat.isBusy
    }

    /// Lets a subscriber go, if it has not gone yet.
    ///
    /// - Returns: whether it was here; `wake` has it as a waiter if it was waiting.
    mutating func leave(_ seat: Seat, _ wake: inout Wake) -> Bool {
        guard seat.leave() else { return false }
        occupied -= 1
        if seat.receiver != nil {
            FlowMachine.remove(seat, from: &pushed)
        } else if seat.index >= 0 {
            FlowMachine.remove(seat, from: &waiting)
            wake.waiters.append(seat)
        }
        if seat.isLossless {
            wake.released += log.removeReader(before: seat.cursor + 1)
        } else if seat.buffer != nil {
            buffered.removeAll { $0 === seat }
            while let waiting = seat.buffer?.removeFirst() { wake.released.append(waiting) }
        }
        return true
    }

    private static func remove(_ seat: Seat, from seats: inout [Seat]) {
        let last = seats.removeLast()
        if last !== seat {
            seats[seat.index] = last
            last.index = seat.index
        }
        seat.index = -1
    }

    // MARK: Reading

    /// The next value for a subscriber, which has it from now on.
    mutating func take(_ seat: Seat) -> Taken {
        if seat.hasLeft { return .end(.cancelled) }
        if seat.buffer != nil {
            if let value = seat.buffer?.removeFirst() { return .value(value, skipped: false) }
            if let overflow = seat.buffer?.overflow { return .end(overflow) }
        } else if seat.cursor < version {
            if seat.isLossless {
                seat.cursor += 1
                if let value = log.read(seat.cursor) { return .value(value, skipped: false) }
            } else {
                let skipped = version - seat.cursor > 1
                seat.cursor = version
                return .value(value, skipped: skipped)
            }
        }
        return isSealed ? .end(.finished) : .nothing
    }

    /// Lets a subscriber wait.
    ///
    /// - Returns: false when it need not: there is something to take.
    mutating func wait(_ seat: Seat) -> Bool {
        guard !seat.hasLeft, !hasNews(seat) else { return false }
        seat.index = waiting.count
        waiting.append(seat)
        return true
    }

    /// What to give a busy subscriber next; it is idle after `nothing`.
    mutating func settle(_ seat: Seat) -> Taken {
        if seat.demand == 0, hasValue(seat) {
            seat.isBusy = false
            return .nothing
        }
        let taken = take(seat)
        switch taken {
        case .value: if seat.demand != .max { seat.demand -= 1 }
        case .end: break
        case .nothing: seat.isBusy = false
        }
        return taken
    }

    /// Asks for more values to be pushed.
    ///
    /// - Returns: whether the caller is to settle with the subscriber.
    mutating func request(_ count: Int, for seat: Seat) -> Bool {
        guard !seat.hasLeft else { return false }
        let (sum, overflow) = seat.demand.addingReportingOverflow(count)
        seat.demand = overflow ? .max : sum
        guard !seat.isBusy, hasNews(seat) else { return false }
        seat.isBusy = true
        return true
    }

    /// Whether those that were given a value all have everything: then they are idle again.
    mutating func settleAll(_ seats: [Seat]) -> [Seat] {
        var more: [Seat] = []
        for seat in seats {
            if hasNews(seat), !seat.hasLeft { more.append(seat) } else { seat.isBusy = false }
        }
        return more
    }

    private func hasValue(_ seat: Seat) -> Bool {
        if let buffer = seat.buffer { return !buffer.isEmpty }
        return seat.cursor < version
    }

    private func hasNews(_ seat: Seat) -> Bool {
        isSealed || hasValue(seat) || seat.buffer?.overflow != nil
    }
}
