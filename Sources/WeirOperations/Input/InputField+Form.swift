public import Foundation
package import WeirStates

extension InputField {
    /// Converts the text of a form field to JSON; nil if it is empty, which counts as absent.
    ///
    /// Numbers have no grouping. Invalid numbers are kept as text, for `validate` to reject, and so is what could be another
    /// number to a reader of the form's language, such as `1.234` where the decimal mark is a comma.
    /// Switches are true or false by the words of browsers and people; other texts are kept, for `validate` to reject.
    ///
    /// Several choices are separated by commas; an empty text is none of them.
    package func value(fromForm text: String, decimal: String = ".") -> JSONValue? {
        switch kind {
        case _ where takesSeveral:
            return .array(
                text.split(separator: ",").map { .string($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
                    .filter { $0 != "" })
        case .text, .multiline, .choice, .secret, .file:
            return text.isEmpty ? nil : .string(text)
        case .url:
            return text.allSatisfy(\.isWhitespace) ? nil : .string(text)
        case .boolean:
            switch text.lowercased() {
            case "true", "on", "yes", "1": return true
            case "false", "off", "no", "0", "": return false
            default: return .string(text)
            }
        case .integer, .number:
            guard text.utf8.count <= 400 else { return .string(text) }
            let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if trimmed.isEmpty { return nil }
            return number(trimmed, decimal: decimal) ?? .string(text)
        }
    }

    /// Converts a submitted form to a JSON object.
    ///
    /// - Parameters:
    ///   - form: The submitted values by name, or by ``controlName``. Unknown names are kept, for `validate` to reject.
    ///   - fields: The fields of the form. Boolean fields and several choices that were not submitted are unchecked.
    ///   - decimal: The decimal mark of the form's language.
    /// - Returns: The input for `validate`.
    package static func object(
        fromForm form: [String: String], fields: [InputField], decimal: String = "."
    ) -> JSONValue {
        let form = values(ofForm: form, fields: fields)
        var members = form.mapValues(JSONValue.string)
        for field in fields {
            if let text = form[field.name] {
                members[field.name] = field.value(fromForm: text, decimal: decimal)
            } else if field.kind == .boolean {
                members[field.name] = .bool(false)
            } else if field.takesSeveral {
                members[field.name] = []
            }
        }
        return .object(members)
    }

    /// Converts the scalars of an object to the kinds of their fields if nothing is lost.
    ///
    /// Texts are read as from a form; numbers and booleans become texts, and 0 and 1 become booleans. Every other value,
    /// and members without a field, are kept for `validate`.
    package static func object(fromScalars members: [String: JSONValue], fields: [InputField]) -> JSONValue {
        var converted = members
        for field in fields {
            guard let value = members[field.name] else { continue }
            converted[field.name] = field.value(fromScalar: value)
        }
        return .object(converted)
    }

    private func value(fromScalar value: JSONValue) -> JSONValue? {
        switch (kind, value) {
        case (_, .string(let text)): return self.value(fromForm: text)
        case _ where takesSeveral: return value.exactText.map { [.string($0)] } ?? value
        case (.boolean, .integer), (.boolean, .number):
            return value.integer.flatMap { (0...1).contains($0) ? .bool($0 == 1) : nil } ?? value
        case (.text, _), (.multiline, _), (.choice, _), (.secret, _):
            return value.exactText.map(JSONValue.string) ?? value
        default: return value
        }
    }

    /// The form text of a value, which `value(fromForm:)` converts back.
    func formText(of value: JSONValue) -> String {
        value["filename"]?.string ?? value.formText
    }

    private func number(_ text: String, decimal: String) -> JSONValue? {
        guard decimal != ".", text.contains(decimal) || text.contains(".") else { return JSONValue(number: text) }
        guard case .number = kind else { return nil }
        guard text.contains(decimal) else { return Self.isGrouped(text) ? nil : JSONValue(number: text) }
        return text.contains(".") ? nil : JSONValue(number: text.replacing(decimal, with: "."))
    }

    /// Whether a point can be meant to separate thousands.
    private static func isGrouped(_ text: String) -> Bool {
        let parts = text.drop { $0 == "+" || $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        return parts.dropFirst().allSatisfy { $0.count == 3 && $0.allSatisfy(\.isNumber) }
            && parts.first.map { (1...3).contains($0.count) && $0.first != "0" } ?? false
    }
}

extension JSONValue {
    /// The text of a scalar, or those of a list separated by commas; empty for null and an object.
    package var formText: String { exactText ?? (array ?? []).compactMap(\.exactText).joined(separator: ",") }

    /// The text of a scalar, or nil for null, a list or an object.
    package var exactText: String? {
        switch self {
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .null, .array, .object: nil
        }
    }
}

/// A type for properties of an input, from which a field's kind can be derived.
///
/// `String`, numbers, `Bool`, `URL`, `FileInput` and optionals of them conform. An enum of texts becomes a choice by declaring
/// the conformance: `enum Level: String, CaseIterable, InputValue { case low, high }`. So do other integer types: `extension
/// UInt8: InputValue {}`.
public protocol InputValue: Codable, Sendable {
    /// The type itself; for an optional, the wrapped type.
    associatedtype Unwrapped = Self
    /// The kind of field for a property without an explicit format.
    static var accepted: InputField.Kind { get }
}

extension String: InputValue {
    /// One line of text.
    public static var accepted: InputField.Kind { .text() }
}

extension Bool: InputValue {
    /// A boolean.
    public static var accepted: InputField.Kind { .boolean }
}

extension InputValue where Self: FixedWidthInteger {
    /// Any integer of the type within 64 bits.
    public static var accepted: InputField.Kind { .integer(Int64(clamping: Self.min)...Int64(clamping: Self.max)) }
}

extension InputValue where Self: BinaryFloatingPoint {
    /// Any number.
    public static var accepted: InputField.Kind { .number(-Double.infinity...Double.infinity) }
}

extension Int: InputValue {}
extension Int64: InputValue {}
extension Double: InputValue {}

extension InputValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// A choice of the cases' raw values.
    public static var accepted: InputField.Kind { .choice(allCases.map(\.rawValue)) }
}

extension URL: InputValue {
    /// A web address.
    public static var accepted: InputField.Kind { .url() }
}

extension FileInput: InputValue {
    /// A file.
    public static var accepted: InputField.Kind { .file }
}

extension Optional: InputValue where Wrapped: InputValue {
    /// The innermost wrapped type.
    public typealias Unwrapped = Wrapped.Unwrapped
    /// The kind of the wrapped type; the field may be empty.
    public static var accepted: InputField.Kind { Wrapped.accepted }
}
