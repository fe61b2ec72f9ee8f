import TestSupport
import NIOConcurrencyHelpers
import TestSupport
import WeirJournals

/// A journal in memory that counts what is asked of it, and refuses to write when told to.
final class WatchedJournal: JournalProxy {
    private struct State {
        var reads: [String] = []
        var longest = 0
        var appends: [Int] = []
        var refuses = false
        var notices: [JournalNotice] = []
    }

    let inner: any Journal = MemoryJournal(epoch: "watchedepoch1")
    private let state = NIOLockedValueBox(State())

    /// The questions so far, by name.
    var reads: [String] { state.withLockedValue { $0.reads } }
    /// The most changes, lines or runs that were read together so far.
    var longestRead: Int { state.withLockedValue { $0.longest } }
    /// How many changes each append had.
    var appends: [Int] { state.withLockedValue { $0.appends } }

    /// Whether every append is refused from now on.
    func refuse(_ refuses: Bool) { state.withLockedValue { $0.refuses = refuses } }

    func report(_ reports: [Report], at now: Timestamp) async throws -> [ReportReceipt] {
        if state.withLockedValue({ $0.refuses }) { throw JournalError(.full, "The disk is full.") }
        return try await inner.report(reports, at: now)
    }

    /// What an operator should know.
    var notices: [JournalNotice] {
        get { state.withLockedValue { $0.notices } }
        set { state.withLockedValue { $0.notices = newValue } }
    }

    func dismissNotice(_ id: String) async throws -> Bool {
        state.withLockedValue { state in
            let count = state.notices.count
            state.notices.removeAll { $0.id == id }
            return state.notices.count < count
        }
    }

    func append(_ drafts: [ChangeDraft]) async throws -> [Change] {
        let refuses = state.withLockedValue { state in
            if !state.refuses { state.appends.append(drafts.count) }
            return state.refuses
        }
        if refuses { throw JournalError(.full, "The disk is full.") }
        return try await inner.append(drafts)
    }

    private func counted<Element>(_ list: [Element]) -> [Element] {
        state.withLockedValue { $0.longest = max($0.longest, list.count) }
        return list
    }

    func willRead(_ name: String) { state.withLockedValue { $0.reads.append(name) } }

    private func asked(_ name: String = #function) { willRead(name) }

    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) async throws
        -> [Change]
    {
        asked()
        return counted(try await inner.changes(of: topic, after: after, through: last, limit: limit))
    }
    func runs(_ query: RunQuery) async throws -> RunPage {
        asked()
        let page = try await inner.runs(query)
        _ = counted(page.runs)
        return page
    }
    func output(of run: String, after number: SequenceNumber, limit: Int) async throws -> [OutputLine] {
        asked()
        return counted(try await inner.output(of: run, after: number, limit: limit))
    }
    func output(of run: String, numbers: [SequenceNumber]) async throws -> [OutputLine] {
        asked()
        return counted(try await inner.output(of: run, numbers: numbers))
    }
}
