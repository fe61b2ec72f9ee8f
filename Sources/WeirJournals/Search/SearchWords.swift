import Foundation

/// Splits texts into the words of the search, in the same way for every journal.
///
/// A word is a maximal sequence of letters, digits and marks, in lower case and without accents. Each ideograph and
/// each kana is a word of its own, because their texts have no spaces. Everything else separates words.
package enum SearchWords {
    /// The words of a text, separated by single spaces.
    package static func folded(_ text: some StringProtocol) -> String {
        var words = ""
        words.reserveCapacity(text.utf8.count)
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            appendPlain(text.utf8, to: &words)
        } else {
            append(String(text).decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars, to: &words)
        }
        return words
    }

    private static func appendPlain(_ bytes: some Sequence<UInt8>, to words: inout String) {
        var separated = true
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                if separated, !words.isEmpty { words.append(" ") }
                words.unicodeScalars.append(Unicode.Scalar(byte))
                separated = false
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if separated, !words.isEmpty { words.append(" ") }
                words.unicodeScalars.append(Unicode.Scalar(byte | 0x20))
                separated = false
            default: separated = true
            }
        }
    }

    private static func append(_ scalars: some Sequence<Unicode.Scalar>, to words: inout String) {
        var separated = true
        for scalar in scalars {
            let properties = scalar.properties
            let standsAlone = properties.isIdeographic || (0x3041...0x30FF).contains(scalar.value)
            switch properties.generalCategory {
            case .nonspacingMark, .enclosingMark: continue
            case .spacingMark where !separated: words.unicodeScalars.append(scalar)
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber:
                if (separated || standsAlone), !words.isEmpty { words.append(" ") }
                words.unicodeScalars.append(scalar)
                separated = standsAlone
            default: separated = true
            }
        }
    }
}
