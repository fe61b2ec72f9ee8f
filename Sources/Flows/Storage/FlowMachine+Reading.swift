extension FlowMachine {
    /// The next value for a subscriber, which has it from now on.
    @inlinable
    mutating func take(_ seat: Seat<Value>) -> Taken {
        if seat.hasLeft { return .end(.cancelled) }
        if let buffer = seat.buffer {
            if let value = buffer.removeFirst() { return .value(value, skipped: false) }
            if let overflow = buffer.overflow { return .end(overflow) }
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
    @inlinable
    mutating func wait(_ seat: PulledSeat<Value>) -> Bool {
        guard !seat.hasLeft, !hasNews(seat) else { return false }
        seat.index = Int32(waiting.count)
        waiting.append(.passUnretained(seat))
        return true
    }

    /// What to give a busy subscriber next; it is idle after `nothing`.
    mutating func settle(_ seat: PushedSeat<Value>) -> Taken {
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

    /// Whether those that were given a value all have everything: then they are idle again; the others are returned.
    @inlinable @inline(__always)
    mutating func settleAll(_ seats: [PushedSeat<Value>]) -> [PushedSeat<Value>] {
        var more: [PushedSeat<Value>] = []
        seats.forEachBorrowed { seat in
            if hasNews(seat), !seat.hasLeft { more.append(seat) } else { seat.isBusy = false }
        }
        return more
    }

    /// Asks for more values to be pushed.
    ///
    /// - Returns: whether the caller is to settle with the subscriber.
    mutating func request(_ count: Int, for seat: PushedSeat<Value>) -> Bool {
        guard !seat.hasLeft else { return false }
        let (sum, overflow) = seat.demand.addingReportingOverflow(count)
        seat.demand = overflow ? .max : sum
        guard !seat.isBusy, hasNews(seat) else { return false }
        seat.isBusy = true
        return true
    }

    @inlinable
    func hasValue(_ seat: Seat<Value>) -> Bool {
        if let buffer = seat.buffer { return !buffer.isEmpty }
        return seat.cursor < version
    }

    @inlinable
    func hasNews(_ seat: Seat<Value>) -> Bool {
        isSealed || hasValue(seat) || seat.buffer?.overflow != nil
    }
}
