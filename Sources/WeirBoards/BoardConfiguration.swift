public import WeirJournals

extension Board {
    /// The measures of a board; each has a default that suits a server with a few hundred runs at a time.
    public struct Configuration: Sendable {
        /// At most one tick of a run is recorded in this time, unless its operation records every tick; transitions
        /// always are.
        public var tickInterval: Duration = .milliseconds(100)
        /// How many changes are kept in memory at most.
        package var tailLimit = 10_000
        /// How many bytes the changes in memory may take, roughly; the oldest leave first.
        public var tailBytes = 64 * 1_024 * 1_024
        /// How many runs may go at a time; further starts are refused.
        ///
        /// Runs that go because somebody watches are not counted, here and in the two limits below. The last places are
        /// kept for operations that hold few.
        public var maximumActiveRuns = 1_000
        /// How many of them can belong to one operation.
        public var maximumActiveRunsPerOperation = 500
        /// How many of them one actor can have started.
        public var maximumActiveRunsPerActor = 250
        /// How many reported runs may be open at a time; half of them of one reporter.
        public var maximumReportedRuns = 1_000
        /// After how long without a word of its reporter a reported run is ended as interrupted.
        public var reportLease: Duration = .seconds(30)
        /// The longest lease that a reporter can ask for.
        package var maximumReportLease: Duration = .seconds(3_600)
        /// Whether runs may be reported of operations that the catalog does not have.
        public var reportsUndeclared = false
        /// Whether this server carries out the runs that are started here, of several that share a journal; otherwise the one that
        /// records does.
        package var carriesOutForOthers = true
        /// How many changes may wait for a journal that does not write before starts are refused.
        package var recordBufferLimit = 10_000
        /// How many changes are recorded in one go at most.
        package var batchLimit = 1_000
        /// How many lines of one run's output may wait to be recorded before whoever prints waits too.
        package var outputBufferLimit = 2_000
        /// How many bytes those lines may take.
        package var outputBufferBytes = 1_024 * 1_024
        /// How many bytes the newest lines of runs may take in memory, roughly.
        package var outputTailBytes = 32 * 1_024 * 1_024
        /// How long a command waits for its change to be recorded.
        package var commandTimeout: Duration = .seconds(5)
        /// How long `shutdown` waits for works to return and changes to be recorded.
        public var drainTimeout: Duration = .milliseconds(1_500)
        /// After how many changes a run that goes on while watched is ended and started anew.
        package var rolloverAfter: Int64 = 3_600
        /// How often the journal is asked whether all is where it was put, also while nothing happens; nil for never.
        package var journalCheckInterval: Duration? = .seconds(1)
        /// What the journal may forget, looked at when the board opens and then each hour; nil keeps everything.
        public var retention: RetentionPolicy? = RetentionPolicy()

        /// Makes the default configuration; change what should be different.
        public init() {}
    }
}
