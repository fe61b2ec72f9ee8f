import WeirBoards

/// A text with places for values: `dumps/{{database}}.dump`.
///
/// A value is put in as it is and is not looked at again, whatever it holds.
struct TextTemplate: Sendable, Hashable {
    enum Part: Sendable, Hashable {
        case text(String)
        case field(String)
    }

    let parts: [Part]

    /// The names of the fields, in order.
    var fields: [String] {
        parts.compactMap { part in
            guard case .field(let name) = part else { return nil }
            return name
        }
    }

    /// Whether a value comes first.
    var beginsWithField: Bool {
        guard case .field = parts.first else { return false }
        return true
    }

    /// Reads a text.
    ///
    /// Throws the sentence that says what is wrong with its braces.
    init(_ text: String) throws(Mistake) {
        guard let pieces = BracedText.parts(of: text) else {
            throw Mistake("A field that begins with {{ must end with }}. \(BracedText.escape)")
        }
        var parts: [Part] = []
        for piece in pieces {
            switch piece {
            case .text(let text): parts.append(.text(text))
            case .name(let braced):
                let name = Substring(braced).trimmingSpaces
                guard Shape.isName(name, limit: 40) else {
                    throw Mistake(
                        "“{{\(name.prefix(40))}}” is no field: write the name of an input, such as {{database}}. "
                            + BracedText.escape)
                }
                parts.append(.field(name))
            }
        }
        self.parts = parts
    }

    /// A text without fields.
    init(verbatim text: String) { parts = [.text(text)] }

    /// The text with the values in it; nil if one is missing.
    func filled(_ value: (String) -> String?) -> String? {
        var text = ""
        for part in parts {
            switch part {
            case .text(let fixed): text += fixed
            case .field(let name):
                guard let value = value(name) else { return nil }
                text += value
            }
        }
        return text
    }

    /// What is wrong with a text, in a sentence.
    struct Mistake: Error {
        let sentence: String

        init(_ sentence: String) { self.sentence = sentence }
    }
}

extension Substring {
    var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
