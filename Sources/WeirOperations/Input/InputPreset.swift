package import WeirStates

/// Values of an operation's input under a name, with which its form can begin.
///
/// A person saves them, or the operation's file declares them. They never contain secrets and files.
package struct InputPreset: Sendable, Hashable {
    package static let nameLimit = 60

    package let name: String
    /// Some members of the input; null stands for an empty field, and an absent member for the field's default.
    package let input: JSONValue

    package init(name: String, input: JSONValue) {
        self.name = name
        self.input = input
    }

    /// The values of an input that a preset can have, with null for the fields that have none.
    package static func values(of input: JSONValue, fields: [InputField]) -> JSONValue {
        let kept = fields.filter(\.isKeptInPresets).map { ($0.name, input[$0.name] ?? .null) }
        return .object(Dictionary(kept) { first, _ in first })
    }

    /// The members of stored values that a preset can have; fields added since then are absent and begin with their defaults.
    package static func known(in stored: JSONValue, fields: [InputField]) -> JSONValue {
        let kept = fields.filter(\.isKeptInPresets).compactMap { field in
            stored[field.name].map { (field.name, $0) }
        }
        return .object(Dictionary(kept) { first, _ in first })
    }

    /// Whether a text can be a preset's name: 1 to ``nameLimit`` visible characters in one line.
    package static func isName(_ text: String) -> Bool {
        text.count <= nameLimit && text.utf8.count <= 4 * nameLimit && VisibleTitle.isSound(text)
    }
}

extension InputField {
    package var isKeptInPresets: Bool { !isSecret && kind != .file }
}
