package import WeirBoards
package import WeirJournals
package import WeirOperations

/// The request's part of a document, apart from its content.
package struct PageFrame: Sendable, Hashable {
    package var locale: PageLocale
    /// The requested path and query with the mount path, to which a change of language returns.
    package var path: String
    /// The server's time, by which a browser corrects its own; nil to leave it out.
    package var clock: Timestamp?
    package var notices: PageNotices
    /// The moment that a page of the past shows; nil for a page of the present.
    ///
    /// A page of the past is not live, has the moment's time, and offers no actions.
    var pastMoment: PastMoment?

    /// Whether the scrubber is scaled by time rather than by steps.
    package var isByTime = false

    package struct PastMoment: Sendable, Hashable {
        /// The sequence of the change after which the page shows the state.
        package let sequence: SequenceNumber
        let at: Timestamp
    }

    package var schedule: ScheduleView?

    package var pausedSchedules: Set<String> = []

    /// The acknowledged failures, by operation.
    package var acknowledged: [String: Acknowledgement] = [:]

    /// The schedules whose latest start did not happen, by operation.
    package var withoutStart: [String: ScheduleStanding] = [:]

    package var hooks: PageHooks?

    package var surroundings: RunSurroundings?

    /// The viewer, or nil to leave the name out.
    var viewer: PageViewer?

    /// The page's other viewers as markup, or nil to leave them out.
    package var viewers: String?

    package var views: [SavedView] = []

    /// The reader's presets of the form of an operation's page.
    package var presets: [InputPreset] = []

    /// The name of the preset with which the form begins, or nil for none.
    package var preset: String?

    package var arrangement = Arrangement()

    /// The account shown in the header, or nil if authentication is off.
    package var account: PageAccount?

    /// The text that marks the place of the time in a document with places.
    var clockMark: String?

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

/// A named filter of the list of runs, saved by a user.
package struct SavedView: Sendable, Hashable {
    package let name: String
    package let filter: RunFilter

    package init(name: String, filter: RunFilter) {
        self.name = name
        self.filter = filter
    }
}

/// The viewer of a page, under whose name actions are recorded.
package struct PageViewer: Sendable, Hashable {
    package var name: String
    /// Whether the viewer may choose another name; false if a proxy authenticates users.
    var canRename: Bool

    package init(name: String, canRename: Bool) {
        self.name = name
        self.canRename = canRename
    }
}

/// The notices above every page, each shown until it is resolved or dismissed; the content of the element `notice`.
package struct PageNotices: Sendable, Hashable {
    /// The time since which changes are not recorded, or nil while they are.
    package var notRecordedSince: Timestamp?
    /// The time since which the journal's disk is almost full, or nil if it is not.
    package var diskAlmostFullSince: Timestamp?
    /// The time at which another history replaced the one that the page showed, or nil if the page showed none.
    var replacedAt: Timestamp?
    /// The journal's notices that are not dismissed.
    var notices: [JournalNotice]

    package var removal: AnnouncedRemoval?
    /// Why the latest settings are not in effect, or nil if they are.
    package var refusedSettings: RefusedSettings?
    /// Why the server starts and sends nothing automatically, or nil if it does.
    package var quiet: QuietStart?

    package init(notRecordedSince: Timestamp? = nil, replacedAt: Timestamp? = nil, notices: [JournalNotice] = []) {
        self.notRecordedSince = notRecordedSince
        self.replacedAt = replacedAt
        self.notices = notices
    }

    package var isEmpty: Bool { self == PageNotices() }
}

/// The account shown in the header of every page.
package struct PageAccount: Sendable, Hashable {
    /// The name, or nil if the requester is not signed in but could sign in.
    var name: String?
    /// Whether there is a session to end.
    package var canSignOut = false
    /// The label of the viewer's permissions, which the page compares with the current ones.
    package var audience = ""

    package init(name: String?) { self.name = name }
}
