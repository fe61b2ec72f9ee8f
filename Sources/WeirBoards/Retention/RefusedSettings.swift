package import WeirJournals

/// Settings that a running server has read and refused, for the pages of administrators.
package struct RefusedSettings: Sendable, Hashable {
    /// When they were refused.
    package let at: Timestamp
    /// The keys in force that they lack; empty if they have mistakes.
    package let lost: [String]

    /// Describes a refusal.
    package init(at moment: Timestamp, lost: [String]) {
        at = moment
        self.lost = lost
    }
}
