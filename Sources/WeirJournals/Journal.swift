import WeirFlows

/// The durable, totally ordered log of changes.
///
/// One conformance suite checks every implementation against this documentation. All methods are safe to call
/// concurrently, suspend while the log works, and throw only `JournalError`.
package protocol Journal: Sendable {
    /// The identifier of this history: 64 bits in 13 base-32 characters, stored with the journal and never reused.
    var epoch: String { get }
    /// When this history began; always later than the history it replaces, regardless of the clock.
    var began: Timestamp { get }

    /// Appends the drafts in order, all or none, and returns the changes with their sequences.
    ///
    /// The sequences follow the head, without gaps within one call. Returns once the changes are durable. Throws
    /// ``JournalError/Code/outOfOrder`` for a draft whose revision does not follow the last one of its stream or
    /// whose subject differs, for a run's first draft without an opening or an opening anywhere else, and for a
    /// store's draft without a step or a step anywhere else.
    func append(_ drafts: [ChangeDraft]) async throws -> [Change]
    /// The sequence of the last change; 0 in an empty journal.
    func head() async throws -> SequenceNumber
    /// The sequence of the topic's last removed change, or of the last deletion; 0 while all are kept.
    ///
    /// For a run that is not kept it is the board's floor, because the journal does not record which removed changes
    /// belonged to that run.
    func floor(of topic: Topic) async throws -> SequenceNumber
    /// The topic's changes after one sequence up to another, oldest first, up to a limit.
    func changes(of topic: Topic, after: SequenceNumber, through last: SequenceNumber?, limit: Int) async throws
        -> [Change]
    /// The topic's newest changes at or before a sequence, oldest first, up to a limit.
    func newestChanges(of topic: Topic, through sequence: SequenceNumber, limit: Int) async throws -> [Change]
    /// The run with that id, if it is kept.
    func run(_ id: String) async throws -> RunRecord?
    /// A run after its last change at or before a sequence (by default the newest), and in its current state.
    ///
    /// Each has its newest transitions, up to a limit. Returns nil if the run is not kept. The cost does not depend
    /// on the number of changes.
    func past(of run: String, at sequence: SequenceNumber?, transitions limit: Int) async throws -> RunPast?
    /// The number of runs of an operation that were active right after a sequence.
    func activeRuns(of operation: String, at sequence: SequenceNumber) async throws -> Int
    /// The newest kept run of an operation that an actor started here with that key; imported runs do not count.
    func run(idempotencyKey: String, operation: String, actor: String) async throws -> RunRecord?
    /// The runs that match, in the query's order.
    func runs(_ query: RunQuery) async throws -> RunPage
    /// How many runs of each operation are in each phase, without counts of 0, ordered by operation and phase.
    func counts() async throws -> [RunCount]
    /// How many runs of each operation that began in a period, without imported ones, are of each attempt.
    ///
    /// There are no counts of 0; the counts are ordered by operation and attempt.
    func attempts(from: Timestamp, to: Timestamp) async throws -> [AttemptCount]
    /// The runs that have not ended, oldest first.
    func unfinishedRuns() async throws -> [RunRecord]
    /// Removes ended runs and old changes of stores according to the policy; returns the number of removed runs.
    ///
    /// It removes whole runs, never a part of an active one, and the oldest changes of each store, never the last.
    /// The age limit applies first, from a run's end, or from its import if that was later; of the remaining runs,
    /// the newest of each operation stay. Imported runs are counted separately from runs started here, so that
    /// neither displaces the other. It works in small steps, between which others can append.
    func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int
    /// What ``prune(_:now:)`` would remove, and the number of runs started here that ended after a sequence.
    func forecast(_ policy: RetentionPolicy, now: Timestamp, after sequence: SequenceNumber) async throws
        -> RetentionForecast

    /// The sequence of the topic's last change that was removed without a record: by retention or with an import.
    ///
    /// At most ``floor(of:)``, which also counts deletions.
    func pruned(of topic: Topic) async throws -> SequenceNumber
    /// Deletes ended runs and the runs of their steps: their changes, inputs and output. Returns an outcome for each, in
    /// order.
    ///
    /// One transaction hides all of them from every read and records a deletion of each, with the next sequences; the
    /// floors of the board and of their operations rise to these, so that every reader detects them. Their rows are
    /// deleted by ``finishDeletion()``. Their ids stay reserved for reports.
    func delete(_ runs: [String], by actor: String, at now: Timestamp) async throws -> [RunDeletionOutcome]
    /// Deletes the rows of deleted runs, in small steps, between which others can append.
    ///
    /// If the process ends first, the next ``prune(_:now:)`` does so.
    func finishDeletion() async throws
    /// The deletions after one sequence up to another, oldest first, up to a limit.
    func deletions(after: SequenceNumber, through last: SequenceNumber, limit: Int) async throws -> [RunDeletion]
    /// The newest deletion of a run that is not kept; nil for any other.
    func deletion(of run: String) async throws -> RunDeletion?

    /// Appends lines to the output of a run, all or none, and returns the number of the last one.
    ///
    /// Returns once the lines are durable. With `after`, the number of the line before them, the call can be repeated:
    /// lines that an earlier call has appended there are not appended again. Throws ``JournalError/Code/outOfOrder``
    /// for a run that is not kept, and if the run has lines of another number.
    func appendOutput(run: String, lines: [OutputDraft], after: SequenceNumber?) async throws -> SequenceNumber
    /// The lines of a run's output after a number, oldest first, up to a limit; none for a run that is not kept.
    func output(of run: String, after number: SequenceNumber, limit: Int) async throws -> [OutputLine]
    /// The lines of a run's output with these numbers, oldest first.
    func output(of run: String, numbers: [SequenceNumber]) async throws -> [OutputLine]
    /// The number of lines of a run's output, which is the number of its last line.
    func outputCount(of run: String) async throws -> SequenceNumber
    /// Searches the whole output of a run, up to a time limit.
    ///
    /// Throws ``JournalError/tooManySearches``.
    func search(_ search: OutputSearch, inOutputOf run: String) async throws -> OutputMatches

    /// Records reports in order, in one transaction, and returns a receipt for each.
    ///
    /// A report's changes, lines and producer state are recorded together or not at all. A run's id stays reserved
    /// after retention has removed the run; the newest million such ids are remembered.
    func report(_ reports: [Report], at now: Timestamp) async throws -> [ReportReceipt]

    /// Adds entries of an import in order, all or none.
    ///
    /// A change keeps everything but its sequence; a line gets the next number of its run. Throws under the same
    /// conditions as ``append(_:)`` and ``appendOutput(run:lines:after:)``. The import is open until it is committed or
    /// rolled back. If it is open when the journal is closed or its process ends, it is rolled back the next time the
    /// journal is opened. Retention does not remove its runs.
    func addImported(_ entries: [ImportedEntry], at now: Timestamp) async throws
    /// Commits the open import, if any.
    func commitImport() async throws
    /// Removes every run that the open import added and closes it; returns the number of runs.
    ///
    /// Sequences are not reused. The floors rise to one further, unused sequence, so that clients that have read all
    /// imported changes also detect a gap.
    func rollBackImport() async throws -> Int
    /// The number of runs of an interrupted import that were removed when this process began to record.
    var undoneRuns: Int { get }

    /// The note that is stored under a name, or nil; notes belong to this history.
    func note(_ name: String) async throws -> String?
    /// Stores a note under a name, replacing the previous one; nil removes it.
    func setNote(_ name: String, _ text: String?) async throws

    /// The storage, for an operator, such as `SQLite` or `PostgreSQL, db1/weir`; nil for a journal in memory.
    var place: String? { get }
    /// The size on disk in bytes; nil if the journal uses no disk.
    func size() async throws -> Int64?

    /// The notices that no operator has dismissed, oldest first.
    var notices: [JournalNotice] { get }
    /// Marks the contents as unusable: the next opening sets them aside and begins a new history.
    func markUnusable()
    /// Dismisses a notice; returns false if none has that id.
    func dismissNotice(_ id: String) async throws -> Bool
    /// Checks that the recorded changes are still in place; throws the error that an append would throw.
    ///
    /// Called regularly, even while nothing is appended.
    func verify() async throws

    /// Closes files and connections; no method may be called afterwards.
    func close() async
}

extension Journal {
    /// Counts the listed runs, page by page.
    package func attempts(from: Timestamp, to: Timestamp) async throws -> [AttemptCount] {
        var query = RunQuery(startedAfter: from, startedBefore: to, isImported: false, limit: 500)
        var counts: [String: [Int64: Int]] = [:]
        while true {
            let page = try await runs(query)
            for run in page.runs { counts[run.operation, default: [:]][run.opening.attempt, default: 0] += 1 }
            guard let next = page.next else { break }
            query.before = next
        }
        return counts.sorted { $0.key < $1.key }.flatMap { operation, counts in
            counts.sorted { $0.key < $1.key }.map { AttemptCount(operation: operation, attempt: $0, count: $1) }
        }
    }

    package var place: String? { nil }

    package func size() async throws -> Int64? { nil }

    package var undoneRuns: Int { 0 }

    package var notices: [JournalNotice] { [] }

    package func markUnusable() {}

    package func dismissNotice(_ id: String) async throws -> Bool { false }

    package func verify() async throws {}

    /// Reads the output in batches, which other work can interrupt.
    package func search(_ search: OutputSearch, inOutputOf run: String) async throws -> OutputMatches {
        let budget = WorkBudget(OutputSearch.timeLimit)
        var scan = OutputScan(search)
        var last = SequenceNumber.zero
        while true {
            let lines = try await output(of: run, after: last, limit: OutputSearch.batch)
            guard let end = lines.last?.number else { return scan.result }
            scan = try await WorkPool.searches.scan(lines, scan)
            last = end
            if budget.isExceeded {
                // Whether the limit cut anything off.
                let isComplete = try await output(of: run, after: last, limit: 1).isEmpty
                return scan.result.completed(isComplete)
            }
        }
    }

    package func lastChange(of topic: Topic, through sequence: SequenceNumber) async throws -> Change? {
        try await newestChanges(of: topic, through: sequence, limit: 1).last
    }

    /// The newest changes of the whole journal, oldest first, up to a limit.
    package func tail(_ limit: Int) async throws -> [Change] {
        try await newestChanges(of: .board, through: .max, limit: limit)
    }
}

/// The identifier of a history: 64 random bits in 13 characters of Crockford's base 32, in lower case.
///
/// It is created and stored with a journal, and never reused. Cursors carry it, so that a cursor into another history
/// is recognised.
package enum JournalEpoch {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")

    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return make(using: &generator)
    }

    package static func make(using generator: inout some RandomNumberGenerator) -> String {
        var bits: UInt64 = generator.next()
        var characters: [Character] = []
        for _ in 0..<13 {
            characters.append(alphabet[Int(bits & 31)])
            bits >>= 5
        }
        return String(characters)
    }
}
