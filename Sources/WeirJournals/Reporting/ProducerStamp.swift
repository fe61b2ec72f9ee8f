/// Which request of which producer a report came with: what makes a repeated one known.
///
/// Section 5.2.1 of the Durable Streams protocol: a producer counts its requests from 0 within an epoch, and begins a new
/// epoch when it has lost count. Both numbers are at most 2⁵³ − 1, which is what `SequenceNumber` holds.
package struct ProducerStamp: Sendable, Hashable {
    /// The producer's name, which it keeps over restarts: 1 to 255 bytes.
    package let id: String
    /// Which life of the producer this is.
    package let epoch: SequenceNumber
    /// The place of the request in that life, from 0.
    package let number: SequenceNumber

    /// Names a request.
    package init(id: String, epoch: SequenceNumber, number: SequenceNumber) {
        self.id = id
        self.epoch = epoch
        self.number = number
    }
}

/// How far a producer has come with one run, as a journal keeps it.
package struct ProducerState: Sendable, Hashable {
    /// What a request is to the producer's state.
    package enum Decision: Hashable, Sendable {
        /// The next one.
        case next
        /// It was taken before.
        case known
        /// A later life of the same producer has taken over.
        case fenced
        /// Requests before it are missing.
        case gap(expected: SequenceNumber)
        /// A new life must begin with request 0.
        case badBeginning
    }

    /// How many producers one run may have.
    package static let limit = 100

    package let epoch: SequenceNumber
    /// The last request that was taken.
    package let number: SequenceNumber
    /// Whether that request closed the run.
    package let hasClosed: Bool

    package init(epoch: SequenceNumber, number: SequenceNumber, hasClosed: Bool) {
        self.epoch = epoch
        self.number = number
        self.hasClosed = hasClosed
    }

    /// What a request is to a producer's state; nil is that of a producer nothing is known of.
    package static func decision(on stamp: ProducerStamp, after state: ProducerState?) -> Decision {
        guard let state else { return stamp.number == 0 ? .next : .gap(expected: 0) }
        if stamp.epoch < state.epoch { return .fenced }
        if stamp.epoch > state.epoch { return stamp.number == 0 ? .next : .badBeginning }
        if stamp.number <= state.number { return .known }
        return stamp.number == state.number.next ? .next : .gap(expected: state.number.next)
    }

    /// Whether a request is the one that closed the run.
    package func closed(by stamp: ProducerStamp) -> Bool {
        hasClosed && epoch == stamp.epoch && number == stamp.number
    }
}
