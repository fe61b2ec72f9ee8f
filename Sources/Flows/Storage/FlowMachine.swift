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
///
/// It holds those pushed to until they leave. Those who ask are not held: who waits is held by the task that waits, and
/// who does not wait is not in here.
@usableFromInline
struct FlowMachine<Value: Sendable> {
    /// What a subscriber finds when it looks for the next value.
    @usableFromInline
    enum Taken {
        case value(Value, skipped: Bool)
        case end(FlowEnd)
        case nothing
    }

    /// What is to be done after a change.
    @usableFromInline
    struct Wake {
        /// Subscribers that wait and now have something to take.
        @usableFromInline var waiters: [Unmanaged<PulledSeat<Value>>] = []
        /// Subscribers to be given the value that was just committed.
        @usableFromInline var idle: [PushedSeat<Value>] = []
        /// Values nobody needs any more.
        @usableFromInline var released: [Value] = []

        @inlinable
        init() {}
    }

    @usableFromInline var version = 1
    @usableFromInline var occupied = 0
    @usableFromInline let replay: Int
    @usableFromInline var isSealed = false
    /// Whether a writer has reserved the flow for itself; see ``FlowStorage/reserve(_:)``.
    @usableFromInline var isReserved = false
    @usableFromInline var value: Value

    @usableFromInline var pushed: [PushedSeat<Value>] = []
    @usableFromInline var waiting: [Unmanaged<PulledSeat<Value>>] = []
    /// Room for the next ones to wait, so that a round of waking takes no memory.
    @usableFromInline var spare: [Unmanaged<PulledSeat<Value>>] = []
    @usableFromInline var buffered: [SeatBuffer<Value>] = []
    @usableFromInline var log: ValueLog<Value>

    @inlinable
    init(_ initial: Value, replay: Int) {
        value = initial
        self.replay = replay
        log = ValueLog(replay: replay)
        if replay > 1 { _ = log.append(initial, version: version) }
    }

    /// Whether nobody has to hear of a new value.
    @inlinable
    var isQuiet: Bool { occupied == 0 && replay <= 1 }

    // MARK: Writing

    /// Makes a value the current one when nobody has to hear of it; returns the one before.
    @inlinable @inline(__always)
    mutating func replace(_ new: Value) -> Value {
        let old = value
        value = new
        version += 1
        return old
    }

    /// Makes a value the current one; returns the one before.
    @inlinable @inline(__always)
    mutating func commit(_ new: Value, _ wake: inout Wake) -> Value {
        let old = replace(new)
        if !isQuiet { announce(&wake) }
        return old
    }

    /// Lets no further value in; returns the subscribers to settle with.
    mutating func seal(_ wake: inout Wake) -> [PushedSeat<Value>] {
        isSealed = true
        wakeWaiters(&wake)
        let settling = pushed.filter { !$0.isBusy }
        for seat in settling { seat.isBusy = true }
        return settling
    }

    @inlinable @inline(__always)
    mutating func announce(_ wake: inout Wake) {
        wakeWaiters(&wake)
        let handed = pushed.isEmpty ? 0 : handOut(&wake)
        if !buffered.isEmpty {
            for buffer in buffered where buffer.handed != version {
                if let dropped = buffer.append(value) { wake.released.append(dropped) }
            }
        }
        if log.needsAppend(handing: handed), let dropped = log.append(value, version: version, handing: handed) {
            wake.released.append(dropped)
        }
    }

    /// Hands the new value to the idle ones of those pushed to; returns how many of these are lossless.
    @inlinable @inline(__always)
    mutating func handOut(_ wake: inout Wake) -> Int {
        var idle = 0
        var lossless = 0
        pushed.forEachBorrowed { seat in
            guard seat.isIdle else { return }
            idle += 1
            seat.isBusy = true
            seat.cursor = version
            if seat.demand != .max { seat.demand -= 1 }
            if seat.isLossless { lossless += 1 }
            seat.buffer?.handed = version
        }
        if idle == pushed.count {
            wake.idle = pushed
        } else if idle > 0 {
            wake.idle = pushed.filter { [version] in $0.cursor == version }
        }
        return lossless
    }

    @inlinable
    mutating func wakeWaiters(_ wake: inout Wake) {
        guard !waiting.isEmpty else { return }
        swap(&wake.waiters, &spare)
        swap(&wake.waiters, &waiting)
        for seat in wake.waiters { seat._withUnsafeGuaranteedRef { $0.index = -1 } }
    }

    // MARK: Coming and going

    /// Lets a subscriber in that asks: the current value, or the replayed ones, come first.
    @inlinable
    mutating func join(_ seat: PulledSeat<Value>) {
        enter(seat, replays: true)
    }

    /// Lets a subscriber in that is pushed to.
    ///
    /// - Parameters:
    ///   - seat: its place.
    ///   - replays: whether it is given the flow's replayed values first, or the current one only.
    /// - Returns: whether the caller is to settle with it at once.
    mutating func join(_ seat: PushedSeat<Value>, replays: Bool) -> Bool {
        enter(seat, replays: replays)
        seat.index = Int32(pushed.count)
        pushed.append(seat)
        seat.isBusy = seat.demand > 0
        return seat.isBusy
    }

    @inlinable
    mutating func enter(_ seat: Seat<Value>, replays: Bool) {
        occupied += 1
        seat.cursor = version - 1
        if seat.isLossless {
            if log.count == 0 { _ = log.append(value, version: version, handing: log.readersAtEnd) }
            if replay > 1, replays { seat.cursor = max(log.start, version - replay + 1) - 1 }
            log.addReader(before: seat.cursor + 1)
        } else if let buffer = seat.buffer {
            buffered.append(buffer)
            if replay > 1, replays {
                log.forEach(from: version - replay + 1) { _ = buffer.append($0) }
            } else {
                _ = buffer.append(value)
            }
        }
    }

    /// Lets a subscriber go, if it has not gone yet.
    ///
    /// - Returns: whether it was here; `wake` has it as a waiter if it was waiting.
    mutating func leave(_ seat: PulledSeat<Value>, _ wake: inout Wake) -> Bool {
        guard exit(seat, &wake) else { return false }
        if seat.index >= 0 {
            let last = waiting.removeLast()
            last._withUnsafeGuaranteedRef {
                if $0 === seat { return }
                waiting[Int(seat.index)] = last
                $0.index = seat.index
            }
            seat.index = -1
            wake.waiters.append(.passUnretained(seat))
        }
        return true
    }

    /// Lets a subscriber go, if it has not gone yet.
    ///
    /// - Returns: whether it was here.
    mutating func leave(_ seat: PushedSeat<Value>, _ wake: inout Wake) -> Bool {
        guard exit(seat, &wake) else { return false }
        let last = pushed.removeLast()
        if last !== seat {
            pushed[Int(seat.index)] = last
            last.index = seat.index
        }
        return true
    }

    private mutating func exit(_ seat: Seat<Value>, _ wake: inout Wake) -> Bool {
        guard seat.leave() else { return false }
        occupied -= 1
        if seat.isLossless {
            wake.released += log.removeReader(before: seat.cursor + 1)
        } else if let buffer = seat.buffer {
            buffered.removeAll { $0 === buffer }
            while let waiting = buffer.removeFirst() { wake.released.append(waiting) }
        }
        return true
    }
}
