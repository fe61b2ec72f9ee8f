/// What can be the name of a person or group that somebody else sends: one line of visible characters.
package enum VisibleName {
    /// Whether a text of at most 200 characters can be one.
    package static func isSound(_ text: String) -> Bool { isSound(text, limit: 200) }

    /// Whether a text of at most so many characters can be one.
    package static func isSound(_ text: String, limit: Int) -> Bool {
        !text.isEmpty && text.unicodeScalars.count <= limit
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
                default: scalar != "\u{FFFD}"
                }
            }
    }
}
