public import Journals

extension Board {
    /// The measures of a board; each has a default that suits a server with a few hundred runs at a time.
    public struct Configuration: Sendable {
        /// At most one tick of a run is recorded in this time; transitions always are.
        public var tickInterval: Duration = .milliseconds(100)
        /// How many changes are kept in memory at most.
        public var tailLimit = 10_000
        /// How many bytes the changes in memory may take, roughly; the oldest leave first.
        public var tailBytes = 64 * 1_024 * 1_024
        /// How many runs may go at a time; further starts are refused.
        public var maximumActiveRuns = 1_000
        /// How many changes may wait for a journal that does not write before starts are refused.
        public var recordBufferLimit = 10_000
        /// How many changes are recorded in one go at most.
        public var batchLimit = 1_000
        /// How many lines of one run's output may wait to be recorded before whoever prints waits too.
        public var outputBufferLimit = 2_000
        /// How many bytes those lines may take.
        public var outputBufferBytes = 1_024 * 1_024
        /// How many bytes the newest lines of runs may take in memory, roughly.
        public var outputTailBytes = 32 * 1_024 * 1_024
        /// How long a command waits for its change to be recorded.
        public var commandTimeout: Duration = .seconds(5)
        /// How long `shutdown` waits for works to return and changes to be recorded.
        public var drainTimeout: Duration = .milliseconds(1_500)
        /// After how many changes a run that goes on while watched is ended and started anew.
        public var rolloverAfter: Int64 = 3_600
        /// What the journal may forget, looked at when the board opens and then each hour; nil keeps everything.
        public var retention: RetentionPolicy? = RetentionPolicy()

        /// Makes the default configuration; change what should be different.
        public init() {}
    }
}
