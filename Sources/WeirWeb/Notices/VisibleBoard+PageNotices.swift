import WeirBoards
import WeirFlows
import WeirPages

extension VisibleBoard {
    /// The notices above every page at this moment.
    var pageNotices: PageNotices {
        var notices = PageNotices(notices: self.notices)
        if case .notRecorded(let since, _) = recording { notices.notRecordedSince = since }
        notices.removal = announcedRemoval.value
        notices.refusedSettings = refusedSettings.value
        return notices
    }
}
