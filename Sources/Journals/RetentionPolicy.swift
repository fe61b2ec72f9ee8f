/// Which ended runs, and how much of a store's past, a journal may forget.
public struct RetentionPolicy: Sendable, Hashable {
    /// How long, and how many, ended runs of one operation stay.
    public struct Limits: Sendable, Hashable {
        /// Ended runs older than this many milliseconds go; nil keeps them whatever their age.
        public var maximumAge: Int64?
        /// This many ended runs at most stay, the newest; nil keeps all.
        public var maximumRuns: Int?

        /// Makes limits; without arguments, none.
        public init(maximumAge: Int64? = nil, maximumRuns: Int? = nil) {
            self.maximumAge = maximumAge
            self.maximumRuns = maximumRuns
        }
    }

    /// What counts for every operation without limits of its own.
    public var standard: Limits
    /// The limits of the operations that have their own, by id: they take the place of the standard ones wholly.
    public var operations: [String: Limits]

    /// Of each store this many changes at most stay, the newest, whatever their age; at least one does; nil keeps all.
    public var maximumChangesPerStore: Int?

    /// Makes a policy; by default 30 days, 10,000 runs of each operation, and 10,000 changes of each store.
    public init(
        maximumAge: Int64? = 30 * 24 * 3_600 * 1_000, maximumRunsPerOperation: Int? = 10_000,
        operations: [String: Limits] = [:], maximumChangesPerStore: Int? = 10_000
    ) {
        standard = Limits(maximumAge: maximumAge, maximumRuns: maximumRunsPerOperation)
        self.operations = operations
        self.maximumChangesPerStore = maximumChangesPerStore
    }

    /// The limits that count for an operation.
    public func limits(of operation: String) -> Limits { operations[operation] ?? standard }
}
