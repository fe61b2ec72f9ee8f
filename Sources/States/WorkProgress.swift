/// How far a piece of work has come, as a count of units out of a total that may be unknown.
public struct WorkProgress: Codable, Sendable, Hashable {
    /// What is being counted.
    public enum Unit: String, Codable, Sendable, Hashable {
        /// Bytes; shown as kB, MB, GB.
        case bytes
        /// Things, whatever they are: parts, files, lines.
        case items
        /// Hundredths of the whole.
        case percent
    }

    /// Units done, never negative.
    public let completed: Int64
    /// Units in all, or nil while nobody knows.
    public let total: Int64?
    /// What one unit is.
    public let unit: Unit

    /// Makes a progress; a negative count becomes 0, and a total below the count becomes the count.
    public init(_ completed: Int64, of total: Int64?, unit: Unit = .items) {
        self.completed = max(0, completed)
        self.total = total.map { max($0, max(0, completed)) }
        self.unit = unit
    }

    /// The part done, from 0 to 1, or nil while the total is unknown.
    ///
    /// An empty whole is done.
    public var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : Double(completed) / Double(total)
    }
}
