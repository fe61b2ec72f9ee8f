/// One thing an export carries, as a journal takes it in again.
public enum ExportedEntry: Sendable, Hashable {
    /// A change, with the sequence it has in the export and the origin it keeps.
    case change(Change)
    /// A line of a run's output.
    case output(run: String, OutputLine)
}
