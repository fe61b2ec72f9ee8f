/// What a poll gets, decided from the state of its feed alone.
enum PollDecision: Hashable, Sendable {
    /// A slot further ahead than the next: refused, so that nobody fills caches with URLs of the future.
    case farSlot
    /// The cursor belongs to another history.
    case otherEpoch
    /// The cursor is ahead of the last change.
    case future
    /// Changes after the cursor, up to this sequence, are no longer in memory.
    case gap(floor: Int64)
    /// Something follows the cursor.
    case behind
    /// Nothing follows, and nothing ever will.
    case ended
    /// Nothing follows, and the request is not to be held.
    case nothing
    /// Nothing follows: to be held for so many milliseconds.
    case hold(Int64)

    /// What is known of a feed at one moment.
    struct Standing: Sendable {
        /// The journal's epoch.
        var epoch: String
        /// The sequence of the feed's last change.
        var head: Int64
        /// The sequence of the feed's last change that is no longer in memory.
        var floor: Int64
        /// Whether nothing can follow, as in a run that has ended.
        var isClosed: Bool
    }

    init(_ request: PollRequest, standing: Standing, wall: Int64) {
        let slots = PollSlots(feed: request.feed)
        let current = slots.slot(at: wall)
        switch request.kind {
        case .snap:
            self = .nothing
        case .tail(_, _, let slot) where slot > current + 1:
            self = .farSlot
        case .tail(let epoch, _, _) where epoch != standing.epoch, .now(let epoch, _) where epoch != standing.epoch:
            self = .otherEpoch
        case .tail(_, let sequence, _) where sequence > standing.head,
            .now(_, let sequence) where sequence > standing.head:
            self = .future
        case .tail(_, let sequence, _) where sequence < standing.floor,
            .now(_, let sequence) where sequence < standing.floor:
            self = .gap(floor: standing.floor)
        case .tail(_, let sequence, _) where sequence < standing.head,
            .now(_, let sequence) where sequence < standing.head:
            self = .behind
        case .tail where standing.isClosed, .now where standing.isClosed:
            self = .ended
        case .tail(_, _, let slot) where slot == current:
            self = .hold(slots.rest(at: wall))
        case .tail(_, _, let slot) where slot == current + 1:
            // From any moment of a slot its whole length is some moment of the next: never longer than a slot.
            self = .hold(PollSlots.length)
        case .tail, .now:
            self = .nothing
        }
    }
}
