package import WeirBoards
package import WeirJournals

/// The output of a run for its page: the newest lines, lines from anywhere, or the result of a search.
package struct PageOutput: Sendable {
    package enum Excerpt: Sendable {
        case newest
        /// Lines around the requested one.
        case part(OutputPart, line: SequenceNumber)
        /// Matching lines; `lines` are those of the matches' numbers that fit on the page.
        case matches(OutputMatches, lines: [OutputLine])
    }

    /// The number of newest lines in a new document: more than fit on a screen, and few enough that it appears at once.
    static let firstLines = 100

    package let tail: OutputTail
    /// The maximum number of newest lines.
    var newestLimit = OutputTail.lineLimit
    /// The position in the output's own feed, or nil if no output can follow or the lines that follow do not belong to the
    /// excerpt.
    let cursor: PageCursor?
    package var excerpt: Excerpt
    package var search: String
    /// Whether the search is for standard error only.
    package var isErrorsOnly: Bool
    /// The line that says why the run failed, if `excerpt` begins with it.
    package var failure: SequenceNumber?

    package init(
        tail: OutputTail, cursor: PageCursor?, excerpt: Excerpt = .newest, search: String = "",
        isErrorsOnly: Bool = false
    ) {
        self.tail = tail
        self.cursor = cursor
        self.excerpt = excerpt
        self.search = search
        self.isErrorsOnly = isErrorsOnly
    }

    /// The output in a new document, whose reader requests earlier lines by scrolling.
    var first: PageOutput {
        var first = self
        first.newestLimit = Self.firstLines
        return first
    }
}
