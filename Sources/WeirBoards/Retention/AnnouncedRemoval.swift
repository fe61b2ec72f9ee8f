package import WeirJournals

/// A removal of old runs that is announced before it happens.
package struct AnnouncedRemoval: Sendable, Hashable {
    /// Why it does not happen at once.
    package enum Reason: String, Sendable {
        /// It takes a large part of what is kept.
        case size
        /// The clock is far ahead of what was recorded last, and may be wrong.
        case clock
        /// The limits are lower than those of the removal before.
        case settings
    }

    /// Why it does not happen at once.
    package let reason: Reason
    /// How many ended runs are to be removed.
    package let runs: Int
    /// How many ended runs are kept now, those included.
    package let kept: Int
    /// When it happens at the earliest, if the server runs until then.
    package let due: Timestamp

    /// Describes a removal.
    package init(reason: Reason, runs: Int, kept: Int, due: Timestamp) {
        self.reason = reason
        self.runs = runs
        self.kept = kept
        self.due = due
    }
}

/// What happened to an announced removal.
package enum RemovalEvent: Sendable, Hashable {
    /// It was announced, or announced again after another change of the limits.
    case announced(AnnouncedRemoval)
    /// It is no longer due, and was not carried out.
    case withdrawn(AnnouncedRemoval)
    /// It was carried out: that many runs were removed.
    case carriedOut(AnnouncedRemoval, removed: Int)
}
