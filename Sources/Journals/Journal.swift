/// The durable, totally ordered log of changes. Everything else is a view of it.
///
/// One conformance suite holds every implementation to these words. All methods suspend while the log works, may be
/// called from anywhere, and throw `JournalError` only.
public protocol Journal: Sendable {
    /// Names this history: made with the journal, kept with it, never used again. 13 characters of base 32 (64 bits).
    var epoch: String { get }

    /// Adds the drafts in their order, all or none, and tells the places they got: the next sequences, without gaps
    /// within one call. Returns only once they are durable. Refuses a draft whose revision does not follow its stream's last.
    func append(_ drafts: [ChangeDraft]) async throws -> [Change]
    /// The sequence of the last change; 0 in an empty journal.
    func head() async throws -> Int64
    /// The sequence of the topic's last change that is no longer kept; 0 while all are.
    func floor(of topic: Topic) async throws -> Int64
    /// The topic's changes after one sequence up to another, oldest first, at most so many.
    func changes(of topic: Topic, after: Int64, through last: Int64?, limit: Int) async throws -> [Change]
    /// The newest changes of the whole journal, oldest first, at most so many.
    func tail(_ limit: Int) async throws -> [Change]
    /// The run of that id, if it is kept.
    func run(_ id: String) async throws -> RunRecord?
    /// The run started under that key, if it is kept.
    func run(idempotencyKey: String) async throws -> RunRecord?
    /// The runs that match, newest first.
    func runs(_ query: RunQuery) async throws -> RunPage
    /// How many runs of each operation are in each phase.
    func counts() async throws -> [RunCount]
    /// The runs that have not ended, oldest first.
    func unfinishedRuns() async throws -> [RunRecord]
    /// Removes whole ended runs as the policy says, never anything of a run that goes on; tells how many went.
    func prune(_ policy: RetentionPolicy, now: Timestamp) async throws -> Int
    /// Lets go of files and connections. Nothing may be called afterwards.
    func close() async
}
