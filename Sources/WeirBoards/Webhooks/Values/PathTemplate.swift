/// A text with places for values that paths name: `Deploy {{body.ref}}`.
///
/// A value is put in as it is and is not looked at again, whatever it holds.
package struct PathTemplate: Sendable, Hashable {
    /// A piece of the text.
    package enum Part: Sendable, Hashable {
        case text(String)
        case path(ValuePath)
    }

    /// The pieces, in order.
    package let parts: [Part]

    /// Reads a text.
    ///
    /// Throws the sentence that says what is wrong with its braces.
    package init(_ text: String) throws(Mistake) {
        guard let pieces = BracedText.parts(of: text) else {
            throw Mistake(
                sentence: "A place for a value that begins with {{ must end with }}. \(BracedText.escape)")
        }
        var parts: [Part] = []
        for piece in pieces {
            switch piece {
            case .text(let text): parts.append(.text(text))
            case .name(let name):
                guard let path = ValuePath(name.filter { $0 != " " }) else {
                    throw Mistake(
                        sentence: "“{{\(name.prefix(40))}}” names no value: write names with points between them, such "
                            + "as {{body.ref}}. \(BracedText.escape)")
                }
                parts.append(.path(path))
            }
        }
        self.parts = parts
    }

    /// The paths, in order.
    package var paths: [ValuePath] {
        parts.compactMap { part in
            guard case .path(let path) = part else { return nil }
            return path
        }
    }

    /// The path, where the text is a single place and nothing else.
    package var single: ValuePath? {
        guard parts.count == 1, case .path(let path) = parts.first else { return nil }
        return path
    }

    /// The text before the first place for a value.
    package var beginning: String {
        guard case .text(let text) = parts.first else { return "" }
        return text
    }

    /// The text with the values in it; nil if one is missing.
    package func filled(_ value: (ValuePath) -> String?) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .text(let fixed): text += fixed
            case .path(let path):
                guard let value = value(path) else { return nil }
                text += value
            }
        }
        return text
    }

    /// What is wrong with a text, in a sentence.
    package struct Mistake: Error {
        /// What is wrong and what to do.
        package let sentence: String
    }
}
