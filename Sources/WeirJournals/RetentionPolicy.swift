/// The limits on the ended runs and the changes of stores that a journal keeps.
public struct RetentionPolicy: Sendable, Hashable {
    /// The limits on the ended runs of one operation.
    public struct Limits: Sendable, Hashable {
        /// The maximum age of ended runs in milliseconds; nil for no limit.
        package var maximumAge: Int64?
        /// The maximum number of the remaining ended runs, keeping the newest; nil for no limit.
        ///
        /// It applies separately to imported runs and to runs started here.
        package var maximumRuns: Int?

        /// Creates limits; by default, none.
        public init(maximumAge: Int64? = nil, maximumRuns: Int? = nil) {
            self.maximumAge = maximumAge
            self.maximumRuns = maximumRuns
        }
    }

    /// The limits of operations without limits of their own.
    package var standard: Limits
    /// The limits by operation id; they replace the standard limits entirely.
    package var operations: [String: Limits]

    /// The maximum number of changes per store, keeping the newest; at least 1, nil for no limit.
    package var maximumChangesPerStore: Int?

    /// Creates a policy; by default 30 days, 10,000 runs of each operation, and 10,000 changes of each store.
    public init(
        maximumAge: Int64? = 30 * 24 * 3_600 * 1_000, maximumRunsPerOperation: Int? = 10_000,
        operations: [String: Limits] = [:], maximumChangesPerStore: Int? = 10_000
    ) {
        standard = Limits(maximumAge: maximumAge, maximumRuns: maximumRunsPerOperation)
        self.operations = operations
        self.maximumChangesPerStore = maximumChangesPerStore
    }

    /// The policy without limits on runs.
    package var onlyForStores: RetentionPolicy {
        RetentionPolicy(
            maximumAge: nil, maximumRunsPerOperation: nil, maximumChangesPerStore: maximumChangesPerStore)
    }

    package func limits(of operation: String) -> Limits { operations[operation] ?? standard }
}

/// The effect of retention on a journal at one moment.
package struct RetentionForecast: Sendable, Hashable {
    package var runs: Int
    /// The number of ended runs, including those to remove.
    package var kept: Int
    /// The number of runs started here that ended after the given sequence.
    package var recent: Int

    package init(runs: Int = 0, kept: Int = 0, recent: Int = 0) {
        self.runs = runs
        self.kept = kept
        self.recent = recent
    }
}
