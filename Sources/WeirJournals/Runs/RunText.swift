import Foundation
package import WeirStates

/// The searchable text of a run: its id, input, current state, cause of that state, and both ends of its output.
package struct RunText: Sendable {
    /// The number of bytes of output that are searchable at each end.
    static let searchedOutput = 64 * 1_024
    /// The number of bytes of the input, and of the state, that are searchable: their first texts and numbers.
    static let searchedValue = 64 * 1_024

    private var folded: String

    /// Creates the text of a run's record, without output.
    package init(_ record: RunRecord) {
        folded = SearchWords.folded(record.id)
        add(record.opening.input)
        add(record.state.payload)
        if let cause = record.cause { add(cause) }
    }

    /// The folded words, separated by single spaces.
    package var words: String { folded }

    package mutating func add(_ text: String) {
        let words = SearchWords.folded(text)
        guard !words.isEmpty else { return }
        if !folded.isEmpty { folded.append(" ") }
        folded.append(words)
    }

    /// Adds the searchable texts and numbers of a value; member names are omitted, because all runs of an operation
    /// share them.
    package mutating func add(_ value: JSONValue) {
        var budget = Self.searchedValue
        add(value, &budget)
    }

    private mutating func add(_ value: JSONValue, _ budget: inout Int) {
        guard budget > 0 else { return }
        switch value {
        case .null, .bool: budget -= 1
        case .integer(let number): add(String(number)[...], &budget)
        case .number(let number): add(String(number)[...], &budget)
        case .string(let text): add(text[...], &budget)
        case .array(let elements): for element in elements.prefix(budget) { add(element, &budget) }
        case .object(let members):
            for (_, member) in members.sorted(by: { $0.key < $1.key }).prefix(budget) { add(member, &budget) }
        }
    }

    private mutating func add(_ text: Substring, _ budget: inout Int) {
        if text.utf8.count <= budget {
            add(String(text))
        } else {
            add(String(decoding: text.utf8.prefix(budget), as: UTF8.self))
        }
        budget -= text.utf8.count + 1
    }

    /// Adds the searchable first and last lines of an output.
    ///
    /// - Parameters:
    ///   - count: The number of lines of the output.
    ///   - line: Returns the line with a number.
    package mutating func addOutput(count: SequenceNumber, line: (SequenceNumber) throws -> OutputLine?) rethrows {
        var budget = Self.searchedOutput
        var first: SequenceNumber = 1
        while first <= count, budget > 0, let text = try line(first)?.text {
            add(text)
            budget -= text.utf8.count + 1
            first = first.next
        }
        budget = Self.searchedOutput
        var last = count
        var ending: [String] = []
        while last >= first, budget > 0, let text = try line(last)?.text {
            ending.append(text)
            budget -= text.utf8.count + 1
            last = last.previous
        }
        for text in ending.reversed() { add(text) }
    }
}

/// Splits texts into searchable words, identically for every journal.
///
/// A word is a maximal sequence of letters, digits and marks, in lower case and without accents. Each ideograph and
/// kana is a separate word, because texts in these scripts have no spaces. All other characters separate words.
package enum SearchWords {
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
