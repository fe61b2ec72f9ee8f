import Logging
import Synchronization
import WeirFlows
package import WeirJournals
import WeirStates

/// Publishes and logs the recording status and the journal's notices.
///
/// The log contains details that pages do not show: paths, and SQLite's codes.
final class RecordingReporter: Sendable {
    /// How long a disk that was full twice must accept all changes before the status changes, in milliseconds: while it is
    /// almost full, small changes fit in now and then.
    static let patience: Int64 = 30_000

    private struct FullDisk {
        var failedAt: Timestamp
        var recoveredAt: Timestamp?
        var isRepeated = false
    }

    private let logger: Logger
    private let now: @Sendable () -> Timestamp
    private let statusFlow = MutableStateFlow(RecordingStatus.recording)
    private let noticesFlow: MutableStateFlow<[JournalNotice]>
    private let fullDisk = Mutex<FullDisk?>(nil)

    init(notices: [JournalNotice], now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.now = now
        self.logger = logger
        noticesFlow = MutableStateFlow([])
        update(notices)
    }

    var status: ReadOnlyStateFlow<RecordingStatus> { statusFlow.asStateFlow() }

    var notices: ReadOnlyStateFlow<[JournalNotice]> { noticesFlow.asStateFlow() }

    /// Notes a failure of the journal, which is logged when it begins and when its reason changes.
    func failed(_ error: any Error) {
        let reason = (error as? JournalError)?.description ?? "The journal cannot be written."
        var since = now()
        if (error as? JournalError)?.code == .full {
            fullDisk.withLock { last in
                let isRepeated = last.map { $0.isRepeated || Self.isRecent($0.recoveredAt, at: since) } ?? false
                last = FullDisk(failedAt: since, recoveredAt: last?.recoveredAt, isRepeated: isRepeated)
            }
        }
        if case .notRecorded(let first, let known) = statusFlow.value {
            if known == reason { return }
            since = first
        }
        logger.error(
            "Not recording: \(reason)", metadata: ["cause": "\(Quoted(Self.cause(of: error)))", "since": "\(since)"])
        statusFlow.value = .notRecorded(since: since, reason: reason)
    }

    /// Notes that the journal accepts changes, which is logged after a failure.
    func succeeded(waiting count: Int) {
        guard case .notRecorded(let since, let reason) = statusFlow.value else { return }
        let now = now()
        let isEarly = fullDisk.withLock { last in
            guard let failedAt = last?.failedAt else { return false }
            if last?.isRepeated == true, Self.isRecent(failedAt, at: now) { return true }
            last = FullDisk(failedAt: failedAt, recoveredAt: now)
            return false
        }
        if isEarly { return }
        logger.notice(
            "Recording again.", metadata: ["since": "\(since)", "cause": "\(reason)", "waiting": "\(count)"])
        statusFlow.value = .recording
    }

    /// Whether a moment is less than the patience ago; false for one in the future, after which the clock was set back.
    private static func isRecent(_ moment: Timestamp?, at now: Timestamp) -> Bool {
        moment.map { (0..<patience).contains(now.milliseconds - $0.milliseconds) } ?? false
    }

    /// Replaces the notices, and logs the new ones.
    func update(_ notices: [JournalNotice]) {
        let known = noticesFlow.value
        guard notices != known else { return }
        for notice in notices where !known.contains(notice) {
            logger.warning("\(notice)", metadata: ["notice": "\(notice.id)"])
        }
        noticesFlow.value = notices
    }

    /// The underlying cause of an error for the log, with path and SQLite code if known.
    static func cause(of error: any Error) -> String {
        guard let failure = error as? JournalError else { return "\(error)" }
        return failure.cause.map { "\($0)" } ?? failure.code.rawValue
    }
}

package enum RecordingStatus: Sendable, Hashable {
    case recording
    /// The journal has accepted no changes since a time, for a reason in a user-visible sentence.
    ///
    /// Changes stay in memory, unpublished, and are recorded once the journal works again.
    case notRecorded(since: Timestamp, reason: String)
}
