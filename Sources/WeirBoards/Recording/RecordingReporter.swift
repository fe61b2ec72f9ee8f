import Logging
import WeirFlows
package import WeirJournals
import WeirStates

/// Reports the state of recording and the journal's notices: to followers, and to the log.
///
/// The log has what pages do not show: paths, and SQLite's codes.
final class RecordingReporter: Sendable {
    private let logger: Logger
    private let now: @Sendable () -> Timestamp
    private let statusFlow = MutableStateFlow(RecordingStatus.recording)
    private let noticesFlow: MutableStateFlow<[JournalNotice]>

    init(notices: [JournalNotice], now: @escaping @Sendable () -> Timestamp, logger: Logger) {
        self.now = now
        self.logger = logger
        noticesFlow = MutableStateFlow([])
        update(notices)
    }

    /// Whether what happens is being recorded.
    var status: ReadOnlyStateFlow<RecordingStatus> { statusFlow.asStateFlow() }

    /// What an operator should know about the journal.
    var notices: ReadOnlyStateFlow<[JournalNotice]> { noticesFlow.asStateFlow() }

    /// The journal could not be written; logged when that begins, and when the reason changes.
    func failed(_ error: any Error) {
        let reason = (error as? JournalError)?.description ?? "The journal cannot be written."
        var since = now()
        if case .notRecorded(let first, let known) = statusFlow.value {
            if known == reason { return }
            since = first
        }
        logger.error(
            "Not recording: \(reason)", metadata: ["cause": "\(Quoted(Self.cause(of: error)))", "since": "\(since)"])
        statusFlow.value = .notRecorded(since: since, reason: reason)
    }

    /// The journal takes changes; logged when it did not before.
    func succeeded(waiting count: Int) {
        guard case .notRecorded(let since, let reason) = statusFlow.value else { return }
        logger.notice(
            "Recording again.", metadata: ["since": "\(since)", "cause": "\(reason)", "waiting": "\(count)"])
        statusFlow.value = .recording
    }

    /// The journal has these notices by now; those that are new are logged.
    func update(_ notices: [JournalNotice]) {
        let known = noticesFlow.value
        guard notices != known else { return }
        for notice in notices where !known.contains(notice) {
            logger.warning("\(notice)", metadata: ["notice": "\(notice.id)"])
        }
        noticesFlow.value = notices
    }

    /// What lies underneath an error, for the operator's log: with the path and SQLite's code where there is one.
    static func cause(of error: any Error) -> String {
        guard let failure = error as? JournalError else { return "\(error)" }
        return failure.cause.map { "\($0)" } ?? failure.code.rawValue
    }
}

/// Whether what happens is being recorded.
package enum RecordingStatus: Sendable, Hashable {
    /// All that happened is in the journal, or on its way there.
    case recording
    /// The journal has not taken anything since then, for that reason, a sentence for people. What happens is kept in
    /// memory and recorded as soon as the journal works again; nothing of it is shown before.
    case notRecorded(since: Timestamp, reason: String)
}
