/// The durable, totally ordered log of changes.
///
/// Everything else is a view of it.
///
/// One conformance suite checks every implementation against this documentation. All methods suspend while the log
/// works, may be called from anywhere, and throw only `JournalError`.
package protocol Journal: Sendable {
    /// Identifies this history: created and stored with the journal, never reused.
    ///
    /// 13 characters of base 32 (64 bits).
    var epoch: String { get }
    /// When this history began. One that takes the place of another began later, whatever the clock says.
    var began: Timestamp { get }

    /// Adds the drafts in their order, all or none, and returns the changes with their sequences.
    ///
    /// The sequences follow the head, without gaps within one call. Returns only once the changes are durable. Refuses
    /// (``JournalError/Code/outOfOrder``) a draft whose revision does not follow the last one of its stream or whose
    /// subject differs, a run's first draft without an opening, an opening anywhere else, a store's draft without a
    /// step, and a step anywhere else.
    func append(_ drafts: [ChangeDraft]) async throws -> [Change]
    /// The sequence of the last change; 0 in an empty journal.
    func head() async throws -> SequenceNumber
    /// The sequence of the topic's last change that is no longer kept; 0 while all are.
    ///
    /// For a run that is not kept it is the board's, because the journal does not know which of the removed changes
    /// belonged to that run.
    func floor(of topic: Topic) async throws -> SequenceNumber
    /// The topic's changes after one sequence up to another, oldest first, up to a limit.
    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) async throws
        -> [Change]
    /// The topic's newest changes at or before a sequence, oldest first, up to a limit.
    func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) async throws -> [Change]
    /// The run with that id, if it is kept.
    func run(_ id: String) async throws -> RunRecord?
    /// A run after its last change at or before a sequence (by default the newest), and as it is now.
    ///
    /// Each has its newest transitions, up to a limit. Nil if the run is not kept. Costs the same however many changes
    /// the run has.
    func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) async throws -> RunPast?
    /// How many runs of an operation had begun and not ended right after a sequence.
    func activeRuns(of operation: String, at sequence: SequenceNumber) async throws -> Int
    /// The newest kept run of an operation that an actor started here with that key; imported runs do not count.
    func run(idempotencyKey: String, operation: String, actor: String) async throws -> RunRecord?
    /// The runs that match, in the query's order.
    func runs(_ query: RunQuery) async throws -> RunPage
    /// How many runs of each operation are in each phase, without counts of 0, ordered by operation and phase.
    func counts() async throws -> [RunCount]
    /// The runs that have not ended, oldest first.
    func unfinishedRuns() async throws -> [RunRecord]
    /// Removes ended runs and old changes of stores according to the policy, and returns how many runs it removed.
    ///
    /// It removes whole runs, never a part of an active one, and the oldest changes of each store, never the last. The
    /// age limit applies first, from a run's end, or from its import if that was later; of the remaining runs, the newest
    /// of each operation stay. Imported runs are counted separately from those that were started here, so that neither
    /// displaces the other. It works in small steps: others append in the meantime.
    func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int
    /// What ``prune(_:now:)`` would remove, and how many runs that were started here have ended after a sequence.
    func forecast(_ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber) async throws
        -> RetentionForecast

    /// Adds lines to the output of a run, all or none, and returns the number of the last one.
    ///
    /// Returns only once they are durable. Refuses (``JournalError/Code/outOfOrder``) a run that is not kept.
    func appendOutput(run: String, lines: [OutputDraft]) async throws -> SequenceNumber
    /// The lines of a run's output after a number, oldest first, up to a limit; none for a run that is not kept.
    func output(of run: String, after number: SequenceNumber, limit: Int) async throws -> [OutputLine]
    /// The number of lines of a run's output, which is the number of its last line.
    func outputCount(of run: String) async throws -> SequenceNumber

    /// Records what reporters sent, in order, in one transaction, and returns what became of each report.
    ///
    /// All of a report is recorded, its changes, its lines and how far its producer has come, or nothing. A run's id
    /// stays taken after retention has removed the run; the newest million such ids are known.
    func report(_ reports: [Report], at now: Timestamp) async throws -> [ReportReceipt]

    /// Adds entries of an import in their order, all or none.
    ///
    /// A change keeps everything but its sequence; a line gets the next number of its run. Refuses what ``append(_:)`` and
    /// ``appendOutput(run:lines:)`` refuse. The import is open until it is committed or rolled back. If it is open when
    /// the journal is closed, or its process ends, it is rolled back the next time the journal is opened. Retention
    /// leaves its runs alone.
    func addImported(_ entries: [ImportedEntry], at now: Timestamp) async throws
    /// Ends the open import, if there is one: everything it added stays.
    func commitImport() async throws
    /// Removes every run that the open import added, and ends it; returns how many there were.
    ///
    /// The sequences are not reused. The floors rise to one more, which no change has, so that those who have read all
    /// that was added are told of a gap, too.
    func rollBackImport() async throws -> Int
    /// How many runs of an interrupted import were removed when this process began to record.
    var undoneRuns: Int { get }

    /// The text that is stored under a name, if there is one: short notes that belong to this history.
    func note(_ name: String) async throws -> String?
    /// Stores a text under a name, replacing the previous one; nil removes it.
    func setNote(_ name: String, _ text: String?) async throws

    /// What holds it, for an operator, such as `SQLite` or `PostgreSQL, db1/weir`; nil for nothing but memory.
    var place: String? { get }
    /// Its size on the disk in bytes; nil if it uses none.
    func size() async throws -> Int64?

    /// What an operator should know about the journal and has not dismissed, oldest first.
    var notices: [JournalNotice] { get }
    /// Says that no board can be opened on what it holds: the next opening sets that aside, and begins a new history.
    func markUnusable()
    /// Removes a notice from the list; returns false if there is none with that id.
    func dismissNotice(_ id: String) async throws -> Bool
    /// Checks that what was recorded is still in place; throws what an append would.
    ///
    /// Called regularly, also while nothing is appended.
    func verify() async throws

    /// Closes files and connections.
    ///
    /// Nothing may be called afterwards.
    func close() async
}

extension Journal {
    /// Nil: memory.
    package var place: String? { nil }

    /// Nil: it uses none.
    package func size() async throws -> Int64? { nil }

    /// None: what lasts as long as the process is not opened again.
    package var undoneRuns: Int { 0 }

    /// None.
    package var notices: [JournalNotice] { [] }

    /// Does nothing: there is no file to set aside.
    package func markUnusable() {}

    /// False: there are none.
    package func dismissNotice(_ id: String) async throws -> Bool { false }

    /// Does nothing: there are no files that others could remove.
    package func verify() async throws {}

    /// The topic's last change at or before a sequence, with its state at that time.
    package func lastChange(of topic: Topic, through sequence: SequenceNumber) async throws -> Change? {
        try await newestChanges(of: topic, through: sequence, limit: 1).last
    }

    /// The newest changes of the whole journal, oldest first, up to a limit.
    package func tail(_ limit: Int) async throws -> [Change] {
        try await newestChanges(of: .board, through: .max, limit: limit)
    }
}
