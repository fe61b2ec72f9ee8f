import States

/// A journal that lasts as long as the process: for tests, for demonstrations, and for boards that need no past.
///
/// It keeps what its retention policy says, by itself, so that it does not grow without end.
public actor MemoryJournal: Journal {
    /// Names this history.
    public nonisolated let epoch: String

    private let retention: RetentionPolicy
    private var log = MemoryLog()
    private var endedSincePrune = 0
    private var stepsSincePrune = 0

    /// Makes an empty journal.
    ///
    /// It prunes itself by the policy as runs end, taking the time from their changes.
    public init(
        epoch: String = JournalEpoch.make(),
        retention: RetentionPolicy = RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 1_000)
    ) {
        self.epoch = epoch
        self.retention = retention
    }

    /// Adds the drafts in their order, all or none.
    public func append(_ drafts: [ChangeDraft]) throws -> [Change] {
        let changes = try log.append(drafts)
        endedSincePrune += drafts.count { $0.step == nil && $0.state.phase.isEnded }
        stepsSincePrune += drafts.count { $0.step != nil }
        // Pruning walks all changes, so it waits until there is enough to be worth the walk.
        if endedSincePrune > 64 + log.runCount / 8 || stepsSincePrune > 8_192, let now = drafts.last?.at {
            endedSincePrune = 0
            stepsSincePrune = 0
            log.prune(retention, now: now)
        }
        return changes
    }

    /// The sequence of the last change.
    public func head() -> Int64 { log.head }

    /// The sequence of the topic's last change that is no longer kept.
    public func floor(of topic: Topic) -> Int64 { log.floor(of: topic) }

    /// The topic's changes after one sequence up to another, oldest first.
    public func changes(of topic: Topic, after: Int64, through last: Int64?, limit: Int) -> [Change] {
        log.changes(of: topic, after: after, through: last ?? .max, limit: limit)
    }

    /// The topic's newest changes at or before a sequence, oldest first.
    public func newestChanges(of topic: Topic, through sequence: Int64, limit: Int) -> [Change] {
        log.newestChanges(of: topic, through: sequence, limit: limit)
    }

    /// The run of that id, if it is kept.
    public func run(_ id: String) -> RunRecord? { log.run(id) }

    /// A run at a moment of its past, and as it stands.
    public func past(of run: String, at sequence: Int64?, transitions limit: Int) -> RunPast? {
        log.past(of: run, at: sequence ?? .max, limit: limit)
    }

    /// How many runs of an operation had begun and not ended right after a sequence.
    public func activeRuns(of operation: String, at sequence: Int64) -> Int {
        log.activeRuns(of: operation, at: sequence)
    }

    /// The newest run started under that key, if one is kept.
    public func run(idempotencyKey: String) -> RunRecord? { log.run(idempotencyKey: idempotencyKey) }

    /// The runs that match, newest first.
    public func runs(_ query: RunQuery) -> RunPage { log.runs(query) }

    /// How many runs of each operation are in each phase.
    public func counts() -> [RunCount] { log.counts() }

    /// The runs that have not ended, oldest first.
    public func unfinishedRuns() -> [RunRecord] { log.unfinishedRuns() }

    /// Removes whole ended runs as the policy says.
    public func prune(_ policy: RetentionPolicy, now: Timestamp) -> Int { log.prune(policy, now: now) }

    /// Adds lines to the output of a run.
    public func appendOutput(run: String, lines: [OutputDraft]) throws -> Int64 {
        try log.appendOutput(run: run, lines: lines)
    }

    /// The lines of a run's output after a number, oldest first.
    public func output(of run: String, after number: Int64, limit: Int) -> [OutputLine] {
        log.output(of: run, after: number, limit: limit)
    }

    /// How many lines of output a run has.
    public func outputCount(of run: String) -> Int64 { log.outputCount(of: run) }

    /// Takes in what `next` gives until it gives nil, all or nothing.
    public func importEntries(
        at now: Timestamp, _ next: @escaping @Sendable () throws -> ExportedEntry?
    ) throws -> ImportReport {
        var copy = log
        let report = try copy.importEntries(at: now, next)
        log = copy
        return report
    }

    /// Nothing to let go of.
    public func close() {}
}
