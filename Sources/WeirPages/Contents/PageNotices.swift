package import WeirBoards
package import WeirJournals

/// The notices above every page, each until it is over or dismissed: the content of the element `notice`.
package struct PageNotices: Sendable, Hashable {
    /// Since when changes cannot be recorded; nil while they are.
    package var notRecordedSince: Timestamp?
    /// Since when another history has been shown than the one a page showed before; nil for a page that showed none.
    package var replacedAt: Timestamp?
    /// What an operator should know about the journal and has not dismissed.
    package var notices: [JournalNotice]

    /// The removal of old runs that is announced; nil when none is.
    package var removal: AnnouncedRemoval?
    /// Why the settings that were read last are not in force; nil while they are.
    package var refusedSettings: RefusedSettings?

    /// Makes them of their parts.
    package init(notRecordedSince: Timestamp? = nil, replacedAt: Timestamp? = nil, notices: [JournalNotice] = []) {
        self.notRecordedSince = notRecordedSince
        self.replacedAt = replacedAt
        self.notices = notices
    }

    /// Whether there is nothing to say.
    package var isEmpty: Bool { self == PageNotices() }
}
