package import WeirBoards
package import WeirJournals

/// What a document needs to know of the request it answers, besides what it shows.
package struct PageFrame: Sendable, Hashable {
    /// The language.
    package var locale: PageLocale
    /// The path and query that were asked for, with the mount path: where a change of language leads back to.
    package var path: String
    /// The server's time, by which a browser corrects its own; nil to leave it out.
    package var clock: Timestamp?
    /// What stands above the page.
    package var notices: PageNotices
    /// The moment that a page of the past shows; nil for a page as it stands.
    ///
    /// Such a page is not live, its own time
    /// stands still, and nothing can be done on it.
    package var pastMoment: PastMoment?

    /// Whether the reader goes through the moments of the past by time rather than by steps.
    package var isByTime = false

    /// A moment of the past.
    package struct PastMoment: Sendable, Hashable {
        /// The sequence of the change after which it was so.
        package let sequence: SequenceNumber
        /// When that was.
        package let at: Timestamp

        /// Names a moment.
        package init(sequence: SequenceNumber, at: Timestamp) {
            self.sequence = sequence
            self.at = at
        }
    }

    /// The schedule of the operation that the page shows; nil if it has none.
    package var schedule: ScheduleView?

    /// The triggers and notifications that the page shows; nil if there are none.
    package var hooks: PageHooks?

    /// Who looks, for pages that say so; nil to leave it out.
    package var viewer: PageViewer?

    /// Who else has the page open, as markup; nil where that is not shown.
    package var viewers: String?

    /// The views of the list of runs that the reader has saved.
    package var views: [SavedView] = []

    /// How the reader has arranged the overview.
    package var arrangement = Arrangement()

    /// Who asks, for the header; nil where nobody is asked who they are.
    package var account: PageAccount?

    /// What stands for the time in a document that leaves it open.
    var clockMark: String?

    /// Makes a frame of its parts.
    package init(
        locale: PageLocale = .english, path: String = "/", clock: Timestamp? = nil, notRecordedSince: Timestamp? = nil,
        pastMoment: PastMoment? = nil,
        viewer: PageViewer? = nil
    ) {
        self.locale = locale
        self.path = path
        self.clock = clock
        notices = PageNotices(notRecordedSince: notRecordedSince)
        self.pastMoment = pastMoment
        self.viewer = viewer
    }
}

/// A filter of the list of runs that somebody has saved under a name.
package struct SavedView: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The filter.
    package let filter: RunFilter

    /// Creates a view.
    package init(name: String, filter: RunFilter) {
        self.name = name
        self.filter = filter
    }
}

/// Who looks at a page, and what they do is recorded as.
package struct PageViewer: Sendable, Hashable {
    /// The name.
    package var name: String
    /// Whether they may choose another: not where a proxy says who they are.
    package var canRename: Bool

    /// Makes a viewer of the parts.
    package init(name: String, canRename: Bool) {
        self.name = name
        self.canRename = canRename
    }
}
