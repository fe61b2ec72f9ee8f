/// Validates names from external sources, of people, groups and states: one line of visible characters.
package enum VisibleName {
    /// The maximum length of the name of a principal in a record, which is that of a subject of OpenID Connect.
    package static let actorLimit = 255

    package static func isSound(_ text: String) -> Bool { isSound(text, limit: 200) }

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

/// Validates titles from external sources: one line without controls, also of direction, but with all other characters.
package enum VisibleTitle {
    package static let limit = 200

    package static func isSound(_ title: String) -> Bool {
        (1...limit).contains(title.count) && title.utf8.count <= 4 * limit
            && title.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: false
                default: !scalar.properties.isBidiControl
                }
            }
    }
}

package enum StateName {
    /// Whether a text is a valid name: a letter, then up to 63 letters, digits, `-`, `_` and `.`.
    package static func isValid(_ name: some StringProtocol) -> Bool {
        let bytes = name.utf8
        guard (1...64).contains(bytes.count), let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy {
            isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}

package enum OperationID {
    /// Whether a text is a valid id: 1 to 40 of `a-z`, `0-9` and single hyphens.
    package static func isValid(_ id: String) -> Bool {
        (1...40).contains(id.utf8.count) && !id.hasPrefix("-") && !id.hasSuffix("-") && !id.contains("--")
            && id.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
    }
}
