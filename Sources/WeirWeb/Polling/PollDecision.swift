import WeirJournals

/// What a poll gets, decided from the state of its feed alone.
enum PollDecision: Hashable, Sendable {
    /// A slot further ahead than the next: refused, so that nobody fills caches with URLs of the future.
    case farSlot
    /// The cursor belongs to another history.
    case otherEpoch
    /// The page was made of another edition of the catalog.
    case otherCatalog
    /// The cursor is ahead of the last change.
    case future
    /// The cursor is ahead of the last change that this server shows, and another one records: its reader comes from there.
    case ahead
    /// Changes after the cursor, up to this sequence, are no longer in memory.
    case gap(floor: SequenceNumber)
    /// Something follows the cursor.
    case behind
    /// Nothing follows, and nothing ever will.
    case ended
    /// Nothing follows, and the request is not to be held.
    case nothing
    /// There is nothing new: hold the request for a number of milliseconds.
    case hold(Int64)

    /// What is known of a feed at one moment.
    struct FeedStatus: Sendable {
        /// The journal's epoch, with the edition of the catalog where the feed's addresses have it.
        var epoch: String
        /// The sequence of the feed's last change.
        var head: SequenceNumber
        /// The sequence of the feed's last change that is no longer in memory.
        var floor: SequenceNumber
        /// Whether nothing can follow, as in a run that has ended.
        var isClosed: Bool
        /// Whether others use the journal, so that this server may not have come as far as its readers.
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
            // From any moment of a slot its whole length is some moment of the next: never longer than a slot.
            self = .hold(PollSlots.length)
        case .tail, .now:
            self = .nothing
        }
    }
}
