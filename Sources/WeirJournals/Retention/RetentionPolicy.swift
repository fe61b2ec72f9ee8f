/// Which ended runs, and how much of a store's past, a journal may remove.
public struct RetentionPolicy: Sendable, Hashable {
    /// How long, and how many, ended runs of one operation are kept.
    public struct Limits: Sendable, Hashable {
        /// Ended runs older than this many milliseconds are removed; nil keeps them whatever their age.
        package var maximumAge: Int64?
        /// At most this many of the others are kept, the newest; nil keeps all.
        ///
        /// Imported runs are counted separately: the limit applies to them, and to the runs that were started here.
        package var maximumRuns: Int?

        /// Creates limits; without arguments, none.
        public init(maximumAge: Int64? = nil, maximumRuns: Int? = nil) {
            self.maximumAge = maximumAge
            self.maximumRuns = maximumRuns
        }
    }

    /// The limits of every operation without limits of its own.
    package var standard: Limits
    /// The limits of the operations that have their own, by id; they replace the standard limits completely.
    package var operations: [String: Limits]

    /// At most this many changes of each store are kept, the newest, whatever their age.
    ///
    /// At least one is kept; nil keeps all.
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

    /// The policy without its limits for runs: all of them are kept.
    package var onlyForStores: RetentionPolicy {
        RetentionPolicy(
            maximumAge: nil, maximumRunsPerOperation: nil, maximumChangesPerStore: maximumChangesPerStore)
    }

    /// The limits that apply to an operation.
    package func limits(of operation: String) -> Limits { operations[operation] ?? standard }
}
