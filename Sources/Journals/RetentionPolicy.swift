/// Which ended runs a journal may forget.
public struct RetentionPolicy: Sendable, Hashable {
    /// Ended runs older than this many milliseconds go; nil keeps them whatever their age.
    public var maximumAge: Int64?
    /// Of each operation this many ended runs at most stay, the newest; nil keeps all.
    public var maximumRunsPerOperation: Int?

    /// Makes a policy; by default 30 days and 10,000 runs of each operation.
    public init(maximumAge: Int64? = 30 * 24 * 3_600 * 1_000, maximumRunsPerOperation: Int? = 10_000) {
        self.maximumAge = maximumAge
        self.maximumRunsPerOperation = maximumRunsPerOperation
    }
}
