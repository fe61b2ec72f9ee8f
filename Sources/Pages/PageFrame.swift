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

    /// Makes a frame of its parts.
    public init(
        locale: PageLocale = .english, path: String = "/", clock: Timestamp? = nil, notRecordedSince: Timestamp? = nil
    ) {
        self.locale = locale
        self.path = path
        self.clock = clock
        self.notRecordedSince = notRecordedSince
    }
}
