import WeirJournals

/// How to answer a poll, decided from the state of its feed alone.
enum PollDecision: Hashable, Sendable {
    /// The slot is later than the next one. Refused, so that clients cannot fill caches with future URLs.
    case farSlot
    /// The cursor belongs to another epoch.
    case otherEpoch
    /// The page was rendered from another edition of the catalog.
    case otherCatalog
    case future
    /// The cursor is ahead of the last change this server has read from a shared journal; another server may have served it.
    case ahead
    /// Changes after the cursor, up to `floor`, are no longer in memory.
    case gap(floor: SequenceNumber)
    /// The feed has changes after the cursor.
    case behind
    /// The feed has no changes after the cursor and is closed.
    case ended
    /// The feed has no changes after the cursor, and the request must not be held.
    case nothing
    /// The feed has no changes after the cursor. Hold the request for this many milliseconds.
    case hold(Int64)

    struct FeedStatus: Sendable {
        /// The journal's epoch, followed by the catalog's edition if the feed's URLs have it.
        var epoch: String
        var head: SequenceNumber
        var floor: SequenceNumber
        var isClosed: Bool
        /// Whether other servers write to the journal, so that clients may be ahead of this server.
        var isShared = false
    }

    init(_ request: PollRequest, feedStatus: FeedStatus, wall: Int64) {
        let slots = PollSlots(feed: request.feed)
        let current = slots.slot(at: wall)
        switch request.kind {
        case .snap:
            self = .nothing
        case .tail(_, _, let slot) where slot > current + 1:
            self = .farSlot
        case .tail(let epoch, _, _) where epoch != feedStatus.epoch, .now(let epoch, _) where epoch != feedStatus.epoch:
            let histories = [epoch, feedStatus.epoch].map { $0.prefix { $0 != "." } }
            self = histories[0] == histories[1] ? .otherCatalog : .otherEpoch
        case .tail(_, let sequence, _) where sequence > feedStatus.head,
            .now(_, let sequence) where sequence > feedStatus.head:
            self = feedStatus.isShared ? .ahead : .future
        case .tail(_, let sequence, _) where sequence < feedStatus.floor,
            .now(_, let sequence) where sequence < feedStatus.floor:
            self = .gap(floor: feedStatus.floor)
        case .tail(_, let sequence, _) where sequence < feedStatus.head,
            .now(_, let sequence) where sequence < feedStatus.head:
            self = .behind
        case .tail where feedStatus.isClosed, .now where feedStatus.isClosed:
            self = .ended
        case .tail(_, _, let slot) where slot == current:
            self = .hold(slots.rest(at: wall))
        case .tail(_, _, let slot) where slot == current + 1:
            // Any moment of this slot plus one slot length lies within the next slot, so a hold never exceeds one slot.
            self = .hold(PollSlots.length)
        case .tail, .now:
            self = .nothing
        }
    }
}
