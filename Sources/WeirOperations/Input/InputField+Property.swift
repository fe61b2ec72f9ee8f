public import Foundation
import WeirStates

/// An input whose properties all have initial values, so that its fields can be derived from key paths.
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
/// Missing properties and formats that do not suit a property's type are compile-time errors. The initial value of a property
/// is the field's default.
public protocol FormInput: OperationInput {
    /// Creates the input with the initial values.
    init()
}

extension InputField {
    /// The values a field accepts for a property of some type.
    public struct Format<Value: InputValue>: Sendable {
        let kind: Kind
    }

    /// Creates the field of an input's property.
    ///
    /// Its name is the property's coding key, and its default is the property's value after `init()`.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - label: The label, in English.
    ///   - format: The accepted values; by default all values of the property's type.
    ///   - isRequired: Whether a run cannot start without a value. A required field has no default.
    ///   - help: A sentence shown beside the field, in English.
    ///   - unit: The unit shown after the value, such as `s`.
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

    /// The coding key and the initial value of a property.
    ///
    /// The name is empty if the property is not encoded as one member, which `problems(in:)` reports.
    private static func member<Input: FormInput, Value: InputValue>(
        at property: WritableKeyPath<Input, Value>, examples: [JSONValue]
    ) -> (name: String, value: JSONValue?) {
        let input = Input()
        guard let name = name(of: property, in: input, examples: examples) else { return ("", nil) }
        return (name, members(of: input)[name].flatMap { $0 == .null ? JSONValue?.none : $0 })
    }

    /// The coding key of an input's property, or an empty name if it is not encoded as one member.
    package static func name<Input: FormInput, Value: InputValue>(of property: WritableKeyPath<Input, Value>) -> String
    {
        name(of: property, in: Input(), examples: examples(of: Value.accepted)) ?? ""
    }

    /// The coding key of a property, or nil if it is not encoded as one member.
    ///
    /// Changes the property of a value and compares the encoded members.
    static func name<Root: Encodable, Value: Decodable>(
        of property: WritableKeyPath<Root, Value>, in root: Root, examples: [JSONValue]
    ) -> String? {
        let members = members(of: root)
        for example in examples {
            // An example may not be a value of the type, such as an enum for a choice.
            guard let value = try? example.decode(Value.self) else { continue }
            var changed = root
            changed[keyPath: property] = value
            let others = Self.members(of: changed)
            let names = Set(members.keys).union(others.keys).filter { members[$0] != others[$0] }
            if let name = names.first, names.count == 1 { return name }
        }
        return nil
    }

    /// Valid values of a kind, at least two with different encodings.
    static func examples(of kind: Kind) -> [JSONValue] {
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
    /// One line of text with a maximum length, matching an ECMAScript regular expression as a whole.
    ///
    /// PCRE2 matches the pattern in bounded time; texts that take longer are refused.
    public static func text(maximumLength: Int = 1_000, pattern: String? = nil) -> Self {
        Self(kind: .text(maximumLength: maximumLength, pattern: pattern))
    }

    /// Several lines of text with a maximum length in characters.
    public static func multiline(maximumLength: Int = 100_000) -> Self {
        Self(kind: .multiline(maximumLength: maximumLength))
    }

    /// A confidential text, which is neither recorded nor shown and has no default.
    public static func secret(maximumLength: Int = 10_000) -> Self { Self(kind: .secret(maximumLength: maximumLength)) }

    /// An absolute URL with one of the schemes.
    public static func url(schemes: [String] = ["http", "https"]) -> Self { Self(kind: .url(schemes: schemes)) }

    /// One of the given texts.
    public static func choice(_ values: [String]) -> Self { Self(kind: .choice(values)) }
}

extension InputField.Format where Value.Unwrapped == URL {
    /// An absolute URL with one of the schemes.
    public static func url(schemes: [String] = ["http", "https"]) -> Self { Self(kind: .url(schemes: schemes)) }
}

extension InputField.Format where Value.Unwrapped: FixedWidthInteger {
    /// An integer within the bounds.
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
