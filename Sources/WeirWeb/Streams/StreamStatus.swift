import WeirJournals

/// How a stream stands at one moment, and what a reader gets who has come so far.
///
/// Pure.
struct StreamStatus: Hashable, Sendable {
    /// The sequence of its last change, or the number of its last line.
    var head: SequenceNumber
    /// The sequence of its last change that is not kept any more; 0 while all are.
    var floor: SequenceNumber
    /// Whether nothing can follow.
    var isClosed: Bool

    /// Why a reader cannot go on from a place.
    enum Loss: Hashable, Sendable {
        /// What followed is not kept any more.
        case removed
        /// The place is in another history.
        case replaced
        /// The place counts what another may see.
        case otherPart
        /// The place lies beyond all there is, so that it must be of a history which was taken back.
        case future
    }

    /// What a reader gets.
    enum Decision: Hashable, Sendable {
        /// What follows a sequence.
        case read(after: SequenceNumber)
        /// Nothing yet.
        case nothing(at: SequenceNumber)
        /// The end: nothing ever follows.
        case end(at: SequenceNumber)
        /// That the place is of no use.
        case lost(Loss)
    }

    /// What a reader gets who asks from there on, and may see that part of the board.
    func decision(
        _ start: StreamRequest.Start, in history: StreamOffset.History, part: String? = nil
    ) -> Decision {
        let sequence: SequenceNumber
        switch start {
        case .beginning: sequence = min(floor, head)
        case .now: sequence = head
        case .after(let offset):
            if offset.history != history { return .lost(.replaced) }
            if offset.part != part { return .lost(.otherPart) }
            if offset.sequence > head { return .lost(.future) }
            if offset.sequence < floor { return .lost(.removed) }
            sequence = offset.sequence
        }
        if sequence < head { return .read(after: sequence) }
        return isClosed ? .end(at: sequence) : .nothing(at: sequence)
    }
}
