/// What became of an import.
public struct ImportReport: Sendable, Hashable {
    /// The ids of the runs that came in, in the order of the file.
    public var imported: [String] = []
    /// The ids of the runs that were here already, the same in every byte (but for the end that an earlier import gave to
    /// one that was unfinished).
    public var skipped: [String] = []
    /// The ids of the imported runs that had not ended when they were exported, and end as interrupted here.
    public var unfinished: [String] = []
    /// How many changes came in.
    public var changes = 0
    /// How many lines of output came in.
    public var lines = 0

    /// Makes an empty report.
    public init() {}
}
