/// What went wrong, for the HTML page that says so.
public struct PageProblem: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// What happened, in a few words; a string `problem.<status>` of the locale takes its place.
    public let title: String
    /// What happened and what to do, in a sentence or two.
    public let detail: String

    /// Makes a problem of its parts.
    public init(status: Int, title: String, detail: String) {
        self.status = status
        self.title = title
        self.detail = detail
    }
}
