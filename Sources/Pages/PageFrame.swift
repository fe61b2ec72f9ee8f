public import Journals

/// What a document needs to know of the request it answers, besides what it shows.
public struct PageFrame: Sendable, Hashable {
    /// The language.
    public var locale: PageLocale
    /// The path and query that were asked for, with the mount path: where a change of language leads back to.
    public var path: String
    /// The server's time, by which a browser corrects its own; nil to leave it out.
    public var clock: Timestamp?
    /// Since when changes cannot be recorded; nil while they are.
    public var notRecordedSince: Timestamp?
    /// The name under which a damaged journal was set aside when the server began; nil when there was none.
    public var setAside: String?
    /// The moment that a page of the past shows; nil for a page as it stands.
    ///
    /// Such a page is not live, its own time
    /// stands still, and nothing can be done on it.
    public var standing: Standing?

    /// A moment of the past.
    public struct Standing: Sendable, Hashable {
        /// The sequence of the change after which it was so.
        public let sequence: Int64
        /// When that was.
        public let at: Timestamp

        /// Names a moment.
        public init(sequence: Int64, at: Timestamp) {
            self.sequence = sequence
            self.at = at
        }
    }

    /// Who looks, for pages that say so; nil to leave it out.
    public var viewer: PageViewer?

    /// Makes a frame of its parts.
    public init(
        locale: PageLocale = .english, path: String = "/", clock: Timestamp? = nil, notRecordedSince: Timestamp? = nil,
        standing: Standing? = nil,
        viewer: PageViewer? = nil
    ) {
        self.locale = locale
        self.path = path
        self.clock = clock
        self.notRecordedSince = notRecordedSince
        self.standing = standing
        self.viewer = viewer
    }
}
