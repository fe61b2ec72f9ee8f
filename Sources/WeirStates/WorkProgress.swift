/// How far a piece of work has come: a number of completed units out of a total, which can be unknown.
public struct WorkProgress: Codable, Sendable, Hashable {
    /// What is being counted.
    public enum Unit: String, Codable, Sendable, Hashable {
        /// Bytes; shown as kB, MB, GB.
        case bytes
        /// Any other things: parts, files, lines.
        case items
        /// Percent of the whole.
        case percent
    }

    /// The number of completed units; never negative.
    public let completed: Int64
    /// The total number of units; nil while it is unknown.
    public let total: Int64?
    /// What one unit is.
    public let unit: Unit

    /// Creates a progress.
    ///
    /// A negative count becomes 0, and a total below the count becomes the count.
    public init<Count: BinaryInteger>(_ completed: Count, of total: Count?, unit: Unit = .items) {
        let completed = max(0, Int64(clamping: completed))
        self.completed = completed
        self.total = total.map { max(completed, Int64(clamping: $0)) }
        self.unit = unit
    }

    /// Decodes a progress by the same rules, since anybody may have written the data.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Int64.self, forKey: .completed),
            of: try container.decodeIfPresent(Int64.self, forKey: .total),
            unit: try container.decode(Unit.self, forKey: .unit))
    }

    /// The completed part, from 0 to 1; nil while the total is unknown.
    ///
    /// If the total is 0, the work is complete.
    public var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : Double(completed) / Double(total)
    }
}
