/// A part of a runbook: what stands under a heading, or between two lists.
public struct RunbookSection: Codable, Equatable, Sendable {
    /// What it stands under; nil for what has no heading of its own.
    public let heading: String?
    /// How high the heading is: 1 for the highest, 6 for the lowest.
    public let level: Int
    /// What is to be read before the steps.
    public var notes: [RunbookNote]
    /// What is to be done, in the file's order; a step within another comes behind it, one deeper.
    public var steps: [RunbookStep]
    /// Whether these are steps that the file no longer has.
    public let isGone: Bool

    /// Makes a part.
    public init(
        _ heading: String?, level: Int = 2, notes: [RunbookNote] = [], steps: [RunbookStep] = [], isGone: Bool = false
    ) {
        self.heading = heading
        self.level = level
        self.notes = notes
        self.steps = steps
        self.isGone = isGone
    }
}
