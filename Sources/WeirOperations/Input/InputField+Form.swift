import Foundation
package import WeirStates

extension InputField {
    /// The JSON value of what a person typed into the field; nil when nothing was, which counts as absent.
    ///
    /// Numbers are read with a point and without grouping, whatever the locale. Text that is no such number stays text,
    /// so that `validate` can say what is wrong with it. A checkbox is true when it is sent at all, but for the words
    /// `false`, `off`, `no` and `0`.
    package func value(fromForm text: String) -> JSONValue? {
        switch kind {
        case .text, .multiline, .choice, .secret, .file:
            return text.isEmpty ? nil : .string(text)
        case .url:
            return text.allSatisfy(\.isWhitespace) ? nil : .string(text)
        case .boolean:
            return .bool(!["false", "off", "no", "0", ""].contains(text.lowercased()))
        case .integer, .number:
            guard text.utf8.count <= 400 else { return .string(text) }
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if trimmed.isEmpty { return nil }
            return Self.number(trimmed) ?? .string(text)
        }
    }

    /// The JSON object of a sent form.
    ///
    /// - Parameters:
    ///   - form: What was sent, by name. Names that no field has are kept, for `validate` to point out.
    ///   - fields: The fields of the form; of a boolean one that was not sent, the checkbox was empty.
    /// - Returns: The object to give to `validate`.
    package static func object(fromForm form: [String: String], fields: [InputField]) -> JSONValue {
        var members = form.mapValues(JSONValue.string)
        for field in fields {
            if let text = form[field.name] {
                members[field.name] = field.value(fromForm: text)
            } else if field.kind == .boolean {
                members[field.name] = .bool(false)
            }
        }
        return .object(members)
    }

    /// What stands in the form for a value: the text of what `value(fromForm:)` would read back as the same.
    package func formText(of value: JSONValue) -> String {
        switch value {
        case .null, .array: ""
        case .object: value["filename"]?.string ?? ""
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .integer(let number): String(number)
        case .number(let number): Int64(exactly: number).map(String.init) ?? String(number)
        case .string(let text): text
        }
    }

    private static func number(_ text: String) -> JSONValue? {
        guard text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }) else { return nil }
        if let whole = Int64(text) { return .integer(whole) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .number(number)
    }
}
