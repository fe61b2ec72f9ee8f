public import Foundation
import WeirStates

/// An input whose properties all have a value to begin with, so that its fields can be made of key paths.
///
/// ```swift
/// struct Input: FormInput {
///     var folder = ""
///     var copies = 7
///     static let fields = [
///         InputField(\Self.folder, "Folder", required: true),
///         InputField(\Self.copies, "Copies to keep", .integer(1...30)),
///     ]
/// }
/// ```
/// A property that does not exist, or a format that does not suit its type, does not compile. What a property holds in
/// `init()` is the field's default.
public protocol FormInput: OperationInput {
    /// Makes the input with every property as it is to begin with.
    init()
}

extension InputField {
    /// What a field accepts for a property of some type.
    public struct Format<Value: InputValue>: Sendable {
        let kind: Kind
    }

    /// Makes the field of an input's property: its name is the property's coding key, its default what `init()` gives the
    /// property.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - label: What a person calls it, in English.
    ///   - format: What it accepts; by default whatever the property's type can hold.
    ///   - isRequired: Whether a run cannot start without it. A required field has no default.
    ///   - help: A sentence of help shown beside the field, in English.
    ///   - unit: The unit shown behind the value, such as `s`.
    public init<Input: FormInput, Value: InputValue>(
        _ property: WritableKeyPath<Input, Value>, _ label: String, _ format: Format<Value>? = nil,
        required isRequired: Bool = false, help: String? = nil, unit: String? = nil
    ) {
        let kind = format?.kind ?? Value.accepted
        let (name, value) = Self.member(at: property, examples: Self.examples(of: kind))
        var defaultValue = isRequired ? nil : value
        if case .secret = kind { defaultValue = nil }
        self.init(name, label, kind, required: isRequired, default: defaultValue, help: help, unit: unit)
    }

    /// The name under which the property is encoded, and what is encoded to begin with.
    ///
    /// Found by changing the property and looking which member changes with it; empty when none does, or several do,
    /// which `problems(in:)` reports.
    private static func member<Input: FormInput, Value: InputValue>(
        at property: WritableKeyPath<Input, Value>, examples: [JSONValue]
    ) -> (name: String, value: JSONValue?) {
        let input = Input()
        let members = members(of: input)
        for example in examples {
            // Not every example is a value of the type: a choice may be an enum.
            guard let value = try? example.decode(Value.self) else { continue }
            var changed = input
            changed[keyPath: property] = value
            let others = Self.members(of: changed)
            let names = Set(members.keys).union(others.keys).filter { members[$0] != others[$0] }
            if let name = names.first, names.count == 1 {
                return (name, members[name].flatMap { $0 == .null ? nil : $0 })
            }
        }
        return ("", nil)
    }

    /// Values that a field of some kind may have, at least two of which are encoded differently.
    private static func examples(of kind: Kind) -> [JSONValue] {
        switch kind {
        case .text, .multiline, .secret: ["a", "b"]
        case .url: ["http://a.example/", "http://b.example/"]
        case .integer, .number: [0, 1]
        case .boolean: [false, true]
        case .choice(let values): values.map(JSONValue.string) + ["a", "b"]
        case .file: ["a", "b"].map { ["id": .string($0), "filename": .string($0)] }
        }
    }

    private static func members(of input: some Encodable) -> [String: JSONValue] {
        do {
            return try JSONValue(encoding: input).object ?? [:]
        } catch {
            return [:]
        }
    }
}

extension InputField.Format where Value.Unwrapped == String {
    /// One line of text, of at most so many characters, matching the pattern (an ECMAScript regular expression) whole.
    ///
    /// It is matched by PCRE2, for a bounded time: a text on which the pattern is slow is refused.
    public static func text(maximumLength: Int = 1_000, pattern: String? = nil) -> Self {
        Self(kind: .text(maximumLength: maximumLength, pattern: pattern))
    }

    /// Several lines of text, of at most so many characters.
    public static func multiline(maximumLength: Int = 100_000) -> Self {
        Self(kind: .multiline(maximumLength: maximumLength))
    }

    /// A text that nobody may read again: it is neither recorded nor shown, and has no default.
    public static func secret(maximumLength: Int = 10_000) -> Self { Self(kind: .secret(maximumLength: maximumLength)) }

    /// An absolute URL of one of the schemes.
    public static func url(schemes: [String] = ["http", "https"]) -> Self { Self(kind: .url(schemes: schemes)) }

    /// One of the texts.
    public static func choice(_ values: [String]) -> Self { Self(kind: .choice(values)) }
}

extension InputField.Format where Value.Unwrapped == URL {
    /// An absolute URL of one of the schemes.
    public static func url(schemes: [String] = ["http", "https"]) -> Self { Self(kind: .url(schemes: schemes)) }
}

extension InputField.Format where Value.Unwrapped: FixedWidthInteger {
    /// A whole number within the bounds.
    public static func integer(_ bounds: ClosedRange<Value.Unwrapped>) -> Self {
        Self(kind: .integer(Int64(clamping: bounds.lowerBound)...Int64(clamping: bounds.upperBound)))
    }
}

extension InputField.Format where Value.Unwrapped: BinaryFloatingPoint {
    /// A number within the bounds.
    public static func number(_ bounds: ClosedRange<Value.Unwrapped>) -> Self {
        Self(kind: .number(Double(bounds.lowerBound)...Double(bounds.upperBound)))
    }
}
