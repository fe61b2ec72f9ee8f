/// The durable, totally ordered log of changes.
///
/// Everything else is a view of it.
///
/// One conformance suite holds every implementation to these words. All methods suspend while the log works, may be
/// called from anywhere, and throw `JournalError` only.
public protocol Journal: Sendable {
    /// Names this history: made with the journal, kept with it, never used again. 13 characters of base 32 (64 bits).
    var epoch: String { get }

    /// Adds the drafts in their order, all or none, and tells the places they got: the next sequences, without gaps
    /// within one call. Returns only once they are durable. Refuses (``JournalError/Code/outOfOrder``) a draft whose
    /// revision does not follow its stream's last or whose subject is another, a run's first draft without an opening,
    /// an opening anywhere else, a store's draft without a step, and a step anywhere else.
    func append(_ drafts: [ChangeDraft]) async throws -> [Change]
    /// The sequence of the last change; 0 in an empty journal.
    func head() async throws -> Int64
    /// The sequence of the topic's last change that is no longer kept; 0 while all are. For a run that is not kept it is
    /// the board's, since nobody remembers which of the changes that went were that run's.
    func floor(of topic: Topic) async throws -> Int64
    /// The topic's changes after one sequence up to another, oldest first, at most so many.
    func changes(of topic: Topic, after: Int64, through last: Int64?, limit: Int) async throws -> [Change]
    /// The topic's newest changes at or before a sequence, oldest first, at most so many.
    func newestChanges(of topic: Topic, through sequence: Int64, limit: Int) async throws -> [Change]
    /// The run of that id, if it is kept.
    func run(_ id: String) async throws -> RunRecord?
    /// A run as it stood after its last change at or before a sequence (the newest without one), and as it stands, each
    /// with its newest transitions, at most so many; nil if it is not kept. Costs the same however many changes it has.
    func past(of run: String, at sequence: Int64?, transitions limit: Int) async throws -> RunPast?
    /// How many runs of an operation had begun and not ended right after a sequence.
    func activeRuns(of operation: String, at sequence: Int64) async throws -> Int
    /// The newest run that was started here under that key, if one is kept; an imported one is none of this history's.
    func run(idempotencyKey: String) async throws -> RunRecord?
    /// The runs that match, newest first.
    func runs(_ query: RunQuery) async throws -> RunPage
    /// How many runs of each operation are in each phase; none of a count of 0; by operation and phase in their order.
    func counts() async throws -> [RunCount]
    /// The runs that have not ended, oldest first.
    func unfinishedRuns() async throws -> [RunRecord]
    /// Removes whole ended runs as the policy says, never anything of a run that goes on, and of each store the oldest
    /// changes, never the last; tells how many runs went.
    /// Age counts from a run's end, or from its import if that was later. Works in small steps: others append meanwhile.
    func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int

    /// Adds lines to the output of a run, all or none, and tells the number of the last one. Returns only once they are
    /// durable. Refuses (``JournalError/Code/outOfOrder``) a run that is not kept.
    func appendOutput(run: String, lines: [OutputDraft]) async throws -> Int64
    /// The lines of a run's output after a number, oldest first, at most so many; none for a run that is not kept.
    func output(of run: String, after number: Int64, limit: Int) async throws -> [OutputLine]
    /// How many lines of output a run has, which is the number of its last one.
    func outputCount(of run: String) async throws -> Int64

    /// Takes in what `next` gives until it gives nil, all or nothing; whatever it throws undoes the import and is thrown
    /// on. A change keeps all but its sequence. A run that is here already, the same in every byte, is skipped; one that
    /// differs is refused. `next` is called on the journal's own thread, where it may read a file.
    func importEntries(at now: Timestamp, _ next: @escaping @Sendable () throws -> ExportedEntry?) async throws
        -> ImportReport

    /// How many bytes it takes on the disk; nil where it takes none.
    func size() async throws -> Int64?

    /// Lets go of files and connections. Nothing may be called afterwards.
    func close() async
}

extension Journal {
    /// Nil: it takes none.
    public func size() async throws -> Int64? { nil }

    /// The topic's last change at or before a sequence: the state it was in then.
    public func lastChange(of topic: Topic, through sequence: Int64) async throws -> Change? {
        try await newestChanges(of: topic, through: sequence, limit: 1).last
    }

    /// The newest changes of the whole journal, oldest first, at most so many.
    public func tail(_ limit: Int) async throws -> [Change] {
        try await newestChanges(of: .board, through: .max, limit: limit)
    }
}
