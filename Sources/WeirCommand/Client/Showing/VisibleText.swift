/// Text from outside in a form that a terminal shows and does not obey.
package enum VisibleText {
    /// A text as one line: control characters, line ends and marks of direction become `·`.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = ""
        for scalar in text.unicodeScalars { result.unicodeScalars.append(isHidden(scalar) ? "·" : scalar) }
        return result
    }

    /// A line that a program printed: as ``line(_:)``, but tabs and colours (`ESC [ … m`) stay.
    package static func output(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = ""
        var rest = Substring(text).unicodeScalars
        while let scalar = rest.first {
            if scalar == "\u{1b}", let colour = Self.colour(in: rest) {
                result.unicodeScalars.append(contentsOf: colour)
                rest = rest[colour.endIndex...]
            } else {
                result.unicodeScalars.append(scalar != "\t" && isHidden(scalar) ? "·" : scalar)
                rest.removeFirst()
            }
        }
        return result
    }

    /// How many columns a text takes: two for the wide characters of East Asia and for pictures.
    package static func width(_ text: String) -> Int {
        text.reduce(0) { $0 + width($1) }
    }

    /// The beginning of a text that takes at most so many columns, with `…` where something is left out.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var (result, taken) = ("", 1)
        for character in text {
            taken += width(character)
            if taken > columns { break }
            result.append(character)
        }
        return columns > 0 ? result + "…" : ""
    }

    /// A text with spaces up to a number of columns.
    package static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }

    private static func colour(in text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView? {
        let body = text.dropFirst()
        guard body.first == "[" else { return nil }
        let numbers = body.dropFirst().prefix { ("0"..."9").contains($0) || $0 == ";" || $0 == ":" }
        guard numbers.endIndex < text.endIndex, text[numbers.endIndex] == "m" else { return nil }
        return text[text.startIndex...numbers.endIndex]
    }

    private static func width(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
            0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
            return 2
        default: return 1
        }
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Joiners make emoji and many scripts; marks of direction could forge what a line says.
        case .format: scalar != "\u{200d}" && scalar != "\u{200c}"
        default: false
        }
    }
}
