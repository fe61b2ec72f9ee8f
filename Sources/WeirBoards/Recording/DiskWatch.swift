package import WeirFlows
package import WeirJournals

/// The disk of the journal.
///
/// While it is almost full, starts and reported lines are refused, and output is not kept, so that the rest of its space remains
/// for the ends of runs.
package protocol DiskWatch: Sendable {
    /// Whether less space is free than is to be kept free.
    var isAlmostFull: Bool { get }

    /// Since when it is almost full, or nil if it is not; the last known state.
    var almostFullSince: ReadOnlyStateFlow<Timestamp?> { get }

    /// Frees space that was reserved, after a failed attempt to record.
    func freeReserve()
}

extension Board.Configuration {
    func requireSpace() throws(BoardError) {
        if disk?.isAlmostFull == true { throw .noSpace }
    }
}

extension Board {
    /// Since when the journal's disk is almost full, or nil if it is not.
    var diskAlmostFullSince: ReadOnlyStateFlow<Timestamp?> {
        configuration.disk?.almostFullSince ?? MutableStateFlow(nil).asStateFlow()
    }

    func requireSpace() throws(BoardError) { try configuration.requireSpace() }
}
