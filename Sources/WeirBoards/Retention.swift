import Logging
import WeirFlows
package import WeirJournals
import WeirStates

/// Removes old runs according to the policy, and announces unusual removals in advance.
final class Retention: Sendable {
    static let note = "retention"

    private let journal: any Journal
    private let recorder: Recorder
    private let feed: Feed
    /// The time of the newest change that was recorded before this process added any.
    private let newest = Locked<Timestamp?>(nil)
    private let now: @Sendable () -> Timestamp
    private let logger: Logger
    /// The time since the start of this process.
    private let uptime: @Sendable () -> Duration
    private let looked = Locked<Duration?>(nil)
    let announced = MutableStateFlow<AnnouncedRemoval?>(nil)
    /// The last event of an announced removal, or nil before the first.
    let events = MutableStateFlow<RemovalEvent?>(nil)

    init(
        journal: any Journal, recorder: Recorder, feed: Feed,
        now: @escaping @Sendable () -> Timestamp, clock: any Clock<Duration>, logger: Logger
    ) {
        self.journal = journal
        self.recorder = recorder
        self.feed = feed
        self.now = now
        self.logger = logger
        uptime = Self.uptime(of: clock)
    }

    private static func uptime(of clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// Sets the time of the newest change before this process, and logs the runs of an interrupted import that the
    /// journal removed.
    func begin(after newest: Timestamp?) {
        self.newest.withLock { $0 = newest }
        let undone = journal.undoneRuns
        guard undone > 0 else { return }
        logger.warning(
            "An import was interrupted, so the runs that it had added were removed. Import the file again.",
            metadata: ["runs": "\(undone)"])
    }

    /// Removes the runs that are due, or announces their removal first.
    ///
    /// Calls must not overlap. A failure is logged, and the next call tries again.
    ///
    /// - Returns: The time until the next check.
    func look(_ policy: RetentionPolicy) async -> Duration {
        do {
            return try await decide(policy)
        } catch is CancellationError {
            return RetentionPlan.interval
        } catch {
            logger.error("Old runs could not be removed.", metadata: ["cause": "\(Quoted(error))"])
            return RetentionPlan.interval
        }
    }

    private func decide(_ policy: RetentionPolicy) async throws -> Duration {
        var plan = RetentionPlan(text: try await journal.note(Self.note))
        let moment = now()
        let head = try await journal.head()
        let forecast = try await journal.forecast(policy, now: moment, after: plan.head ?? 0)
        let uptime = uptime()
        let last = looked.withLock { looked in
            defer { looked = uptime }
            return looked
        }
        let decision = plan.look(
            forecast, policy, head: head, newest: newest.withLock { $0 }, now: moment,
            running: last.map { Int64(clamping: (uptime - $0) / .milliseconds(1)) })
        let known = announced.value
        var wait = RetentionPlan.interval
        switch decision {
        case .remove, .withdraw:
            if decision == .withdraw, let known { tell(.withdrawn(known)) }
            // The note is written after the removal, so that an interrupted removal resumes at once.
            let count = try await remove(policy, at: moment)
            if decision == .remove, let known { tell(.carriedOut(known, removed: count)) }
            announced.value = nil
            try await journal.setNote(Self.note, try plan.text())
        case .wait(let removal, let isNew):
            announced.value = removal
            if isNew { tell(.announced(removal)) }
            try await journal.setNote(Self.note, try plan.text())
            _ = try await journal.prune(policy.onlyForStores, now: moment)
            wait = max(.seconds(1), min(wait, .milliseconds(removal.due - moment)))
        }
        try await showRemovals()
        return wait
    }

    private func remove(_ policy: RetentionPolicy, at moment: Timestamp) async throws -> Int {
        let count = try await journal.prune(policy, now: moment)
        if count > 0 { logger.info("Old runs were removed.", metadata: ["count": "\(count)"]) }
        return count
    }

    /// Removes from the feed the runs that the journal has removed, also those that another server removed before a
    /// takeover.
    private func showRemovals() async throws {
        guard try await journal.floor(of: .board) > feed.removed(of: .board) else { return }
        try await recorder.whileNothingIsRecorded { [feed, journal] in
            try await feed.forgetRemoved(from: journal)
            // The imported runs were the newest, and had displaced others from the lists.
            if journal.undoneRuns > 0 { try await feed.refillLists(from: journal) }
        }
    }

    /// Logs an event of an announced removal, and publishes it in ``events``.
    private func tell(_ event: RemovalEvent) {
        switch event {
        case .announced(let removal):
            let cause =
                switch removal.reason {
                case .size: "many runs exceed the retention limits at once"
                case .clock: "the clock is far ahead of the newest change, and may be wrong"
                case .settings: "the retention limits are lower than before"
                }
            logger.warning(
                removal.reason == .settings
                    ? "Old runs will be removed in a minute. To keep them, raise retention.days or retention.runs."
                    : "Many old runs will be removed in a day. To keep them, raise retention.days or retention.runs.",
                metadata: [
                    "runs": "\(removal.runs)", "of": "\(removal.kept)", "due": "\(removal.due)", "cause": "\(cause)",
                ])
        case .withdrawn(let removal):
            logger.notice("The announced removal of old runs is withdrawn.", metadata: ["runs": "\(removal.runs)"])
        case .carriedOut: break
        }
        events.value = event
    }
}

/// A removal of old runs that is announced in advance.
package struct AnnouncedRemoval: Sendable, Hashable {
    package enum Reason: String, Sendable {
        /// The removal takes a large part of the runs.
        case size
        /// The clock is far ahead of the newest change, and may be wrong.
        case clock
        /// The limits are lower than those of the last removal.
        case settings
    }

    package let reason: Reason
    package let runs: Int
    /// The current number of ended runs, including those to be removed.
    package let kept: Int
    /// The earliest time of the removal, provided that the server runs until then.
    package let due: Timestamp

    package init(reason: Reason, runs: Int, kept: Int, due: Timestamp) {
        self.reason = reason
        self.runs = runs
        self.kept = kept
        self.due = due
    }
}

package enum RemovalEvent: Sendable, Hashable {
    /// The removal was announced, or announced again after another change of the limits.
    case announced(AnnouncedRemoval)
    /// The removal is no longer due and was not carried out.
    case withdrawn(AnnouncedRemoval)
    /// The removal was carried out, with the number of removed runs.
    case carriedOut(AnnouncedRemoval, removed: Int)
}
