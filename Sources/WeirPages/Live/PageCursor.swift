package import WeirJournals

/// How far a page has come in its feed, and where it continues from there.
package struct PageCursor: Sendable, Hashable {
    /// The journal's epoch.
    package var epoch: String
    /// The sequence of the last change of the page's topic that the page shows; 0 for none.
    package var sequence: SequenceNumber
    /// The URL that holds until the next change.
    package var next: String
    /// The URL that answers at once with what follows.
    package var now: String
    /// The URL of the page's region as it is.
    package var snap: String
    /// The URL of the whole document after the next change, for a browser without JavaScript; nil for a page that must
    /// not reload, such as one with a form being filled in, which the next document would empty.
    package var after: String?

    /// Creates a cursor from its parts.
    package init(epoch: String, sequence: SequenceNumber, next: String, now: String, snap: String, after: String?) {
        self.epoch = epoch
        self.sequence = sequence
        self.next = next
        self.now = now
        self.snap = snap
        self.after = after
    }
}
