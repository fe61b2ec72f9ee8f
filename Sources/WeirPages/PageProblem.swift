package import WeirStates

/// What went wrong, for the HTML page that says so.
package struct PageProblem: Sendable, Hashable {
    /// The HTTP status.
    package let status: Int
    /// What happened, in a few words; a string `problem.<status>` of the locale takes its place.
    package let title: String
    /// What happened and what to do, in a sentence or two.
    package let detail: Message

    /// Creates a problem from its parts.
    package init(status: Int, title: String, detail: Message) {
        self.status = status
        self.title = title
        self.detail = detail
    }
}
