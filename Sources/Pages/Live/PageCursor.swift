/// How far a page has come in its feed, and where it goes on from there.
public struct PageCursor: Sendable, Hashable {
    /// The journal's epoch.
    public var epoch: String
    /// The sequence of the last change of the page's topic that the page shows; 0 for none.
    public var sequence: Int64
    /// The URL that holds until the next change.
    public var next: String
    /// The URL that answers at once with what follows.
    public var now: String
    /// The URL of the page's region as it stands.
    public var snap: String
    /// The URL of the whole document after the next change, for a browser without JavaScript; nil for a page that stands
    /// still there, such as one with a form being filled in, which the next document would empty.
    public var after: String?

    /// Makes a cursor of its parts.
    public init(epoch: String, sequence: Int64, next: String, now: String, snap: String, after: String?) {
        self.epoch = epoch
        self.sequence = sequence
        self.next = next
        self.now = now
        self.snap = snap
        self.after = after
    }
}
