/// What is wrong with the text of a schedule, in a sentence that says what to write instead.
public struct ScheduleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    public let description: String

    init(_ description: String) { self.description = description }

    /// A text from outside as a message quotes it: of bounded length, on one line.
    static func quoted(_ text: some StringProtocol) -> String {
        let visible = text.unicodeScalars.prefix(64).map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                "\u{FFFD}"
            default: Character(scalar)
            }
        }
        return "“" + String(visible) + (text.unicodeScalars.count > 64 ? "…" : "") + "”"
    }
}
