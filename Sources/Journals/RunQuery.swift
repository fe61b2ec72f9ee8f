public import States

/// Which runs to list, newest first.
public struct RunQuery: Sendable, Hashable {
    /// Only runs of that operation.
    public var operation: String?
    /// Only runs in that phase.
    public var phase: Phase?
    /// Only runs started by that actor.
    public var actor: String?
    /// Only runs whose id, input, last state or, once they have ended, output has all these words, in any order.
    ///
    /// Letters count the same with and without accents, large and small. Two letters or more and `*` find all
    /// words that begin so.
    public var text: String?
    /// Only runs started at this moment or later.
    public var startedAfter: Timestamp?
    /// Only runs started before this moment.
    public var startedBefore: Timestamp?
    /// Only runs that were imported from another journal, or only those that were not; nil for both.
    public var isImported: Bool?
    /// Only runs opened before this sequence: where the page before ended.
    public var before: Int64?
    /// How many at most.
    public var limit: Int

    /// Makes a query; without arguments, the newest 50 runs.
    public init(
        operation: String? = nil, phase: Phase? = nil, actor: String? = nil, text: String? = nil,
        startedAfter: Timestamp? = nil, startedBefore: Timestamp? = nil, isImported: Bool? = nil,
        before: Int64? = nil, limit: Int = 50
    ) {
        self.operation = operation
        self.phase = phase
        self.actor = actor
        self.text = text
        self.startedAfter = startedAfter
        self.startedBefore = startedBefore
        self.isImported = isImported
        self.before = before
        self.limit = limit
    }
}

/// One page of a list of runs.
public struct RunPage: Sendable, Hashable {
    /// The runs, newest first.
    public let runs: [RunRecord]
    /// What to give as `before` for the next page; nil on the last.
    public let next: Int64?

    /// Makes a page.
    public init(runs: [RunRecord], next: Int64?) {
        self.runs = runs
        self.next = next
    }
}
