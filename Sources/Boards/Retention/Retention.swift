import Flows
import Journals
import Logging
import States

/// Removes old runs according to the policy, and announces the removal of many before it happens.
final class Retention: Sendable {
    /// The name of the note in the journal that keeps the plan.
    static let note = "retention"

    private let journal: any Journal
    private let recorder: Recorder
    private let feed: Feed
    /// When the newest change was recorded before this process added any.
    private let newest = Locked<Timestamp?>(nil)
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    /// The removal to come, if one is announced.
    let announced = MutableStateFlow<AnnouncedRemoval?>(nil)

    init(
        journal: any Journal, recorder: Recorder, feed: Feed,
        now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        self.journal = journal
        self.recorder = recorder
        self.feed = feed
        self.now = now
        self.logger = logger
    }

    /// Says when the newest change was recorded before this process adds any; logs what the journal has taken back.
    func begin(after newest: Timestamp?) {
        self.newest.withLock { $0 = newest }
        let undone = journal.undoneRuns
        guard undone > 0 else { return }
        logger.warning(
            "An import was interrupted, so the runs that it had added were removed. Import the file again.",
            metadata: ["runs": "\(undone)"])
    }

    /// Looks once at what is due, and removes it unless it must be announced first.
    ///
    /// One look at a time. What cannot be done now is logged, and tried at the next look.
    func look(_ policy: RetentionPolicy) async {
        do {
            try await decide(policy)
        } catch is CancellationError {
            return
        } catch {
            logger.error("Old runs could not be removed.", metadata: ["cause": "\(Quoted(error))"])
        }
    }

    private func decide(_ policy: RetentionPolicy) async throws {
        var plan = RetentionPlan(text: try await journal.note(Self.note))
        let moment = now()
        let head = try await journal.head()
        let forecast = try await journal.forecast(policy, now: moment, after: plan.head ?? 0)
        switch plan.look(forecast, head: head, newest: newest.withLock { $0 }, now: moment) {
        case .remove:
            // Kept afterwards, so that a removal that is cut short continues at once.
            try await remove(policy, at: moment)
            announced.value = nil
            try await journal.setNote(Self.note, try plan.text())
        case .wait(let removal, let isNew):
            announced.value = removal
            if isNew { log(removal) }
            try await journal.setNote(Self.note, try plan.text())
            _ = try await journal.prune(policy.onlyForStores, now: moment)
        }
        try await showRemovals()
    }

    private func remove(_ policy: RetentionPolicy, at moment: Timestamp) async throws {
        let count = try await journal.prune(policy, now: moment)
        if count > 0 { logger.info("Old runs were removed.", metadata: ["count": "\(count)"]) }
    }

    /// Shows no more what the journal has removed, here or before this server took the place of another.
    private func showRemovals() async throws {
        guard try await journal.floor(of: .board) > feed.removed(of: .board) else { return }
        try await recorder.whileNothingIsRecorded { [feed, journal] in
            try await feed.forgetRemoved(from: journal)
            // The runs of an import were the newest, and had pushed others out of the lists.
            if journal.undoneRuns > 0 { try await feed.refillLists(from: journal) }
        }
    }

    private func log(_ removal: AnnouncedRemoval) {
        let cause =
            switch removal.reason {
            case .size: "many runs exceed the retention limits at once"
            case .clock: "the clock is far ahead of the newest change, and may be wrong"
            }
        logger.warning(
            "Many old runs will be removed in a day. To keep them, raise retention.days or retention.runs.",
            metadata: [
                "runs": "\(removal.runs)", "of": "\(removal.kept)", "due": "\(removal.due)", "cause": "\(cause)",
            ])
    }
}
