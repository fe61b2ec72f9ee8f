/// A part of a runbook: what is under a heading, or between two lists.
package struct RunbookSection: Codable, Equatable, Sendable {
    /// The heading; nil if there is none.
    package let heading: String?
    /// The level of the heading, from 1 to 6.
    package let level: Int
    /// The notes before the steps.
    package var notes: [RunbookNote]
    /// The steps, in the file's order; a nested step follows the outer one, one level deeper.
    package var steps: [RunbookStep]
    /// Whether these are steps that the file no longer has.
    package let isGone: Bool

    /// Makes a part.
    package init(
        _ heading: String?, level: Int = 2, notes: [RunbookNote] = [], steps: [RunbookStep] = [], isGone: Bool = false
    ) {
        self.heading = heading
        self.level = min(max(level, 1), 6)
        self.notes = notes
        self.steps = steps
        self.isGone = isGone
    }

    /// Decodes a part, and refuses an invalid heading level, because states also come from outside.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        heading = try container.decodeIfPresent(String.self, forKey: .heading)
        level = try container.decode(Int.self, forKey: .level)
        notes = try container.decode([RunbookNote].self, forKey: .notes)
        steps = try container.decode([RunbookStep].self, forKey: .steps)
        isGone = try container.decode(Bool.self, forKey: .isGone)
        guard (1...6).contains(level) else {
            throw DecodingError.dataCorruptedError(
                forKey: .level, in: container, debugDescription: "must be from 1 to 6")
        }
    }
}
