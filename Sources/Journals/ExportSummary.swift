/// What an export holds.
public struct ExportSummary: Sendable, Hashable {
    /// How many runs.
    public internal(set) var runs = 0
    /// How many changes.
    public internal(set) var changes = 0
    /// How many lines of output.
    public internal(set) var lines = 0
}
