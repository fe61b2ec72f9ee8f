/// What can be the name of a person or group that somebody else sends: one line of visible characters.
package enum VisibleName {
    /// Whether a text can be one.
    package static func isSound(_ text: String) -> Bool {
        (1...200).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
                default: scalar != "\u{FFFD}"
                }
            }
    }
}
