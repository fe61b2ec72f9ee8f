import WeirStates

/// A value for a step: a constant, an input of the whole run, or a value from the end of an earlier step's run.
///
/// Literals are constants, and a text can contain other arguments:
///
/// ```swift
/// let dump = Step("dump", Backup()).with(\.database, input.database)
/// Step("send", Send()).with(\.subject, "The dump of \(input.database)").with(\.file, dump.result.file)
/// ```
@dynamicMemberLookup
public struct StepArgument<Value>: Sendable {
    package let value: StepValue
    /// Why the argument has no value, in a sentence for the author of the declaration.
    package let problem: String?

    package init(parts: [StepValue.Part], problem: String? = nil) {
        value = StepValue(parts)
        self.problem = problem
    }

    /// Creates a constant.
    public init(_ constant: Value) where Value: Encodable {
        do {
            let value = try JSONValue(encoding: constant)
            self.init(parts: [.text(try value.exactText ?? value.text())])
        } catch {
            self.init(parts: [], problem: "A constant cannot be encoded as JSON: \(error.explanation)")
        }
    }

    /// The member of a step's result.
    public subscript<Member: Decodable>(dynamicMember property: WritableKeyPath<Value, Member>) -> StepArgument<Member>
    where Value: OperationResult {
        member(property)
    }

    /// The member of a step's result that can be absent.
    public subscript<Member: Decodable>(dynamicMember property: WritableKeyPath<Value, Member?>) -> StepArgument<Member>
    where Value: OperationResult {
        member(property)
    }

    private func member<Member: Decodable, Other>(_ property: WritableKeyPath<Value, Member>) -> StepArgument<Other>
    where Value: OperationResult {
        let kind = (Member.self as? any InputValue.Type)?.accepted
        let examples = (kind.map { InputField.examples(of: $0) } ?? []) + StepValue.examples
        guard case .reported(let step, _)? = value.parts.first,
            let name = InputField.name(of: property, in: Value.sample, examples: examples)
        else {
            return StepArgument<Other>(
                parts: [],
                problem: "A property of \(Value.self) is not encoded as one member. Name the value: reported(\"file\")."
            )
        }
        return StepArgument<Other>(parts: [.reported(step: step, value: name)], problem: problem)
    }
}

extension StepValue {
    /// Values of the usual types, two of each.
    fileprivate static let examples: [JSONValue] = [
        "a", "b", 0, 1, false, true, ["a"], ["b"], [0], [1], [], [false], [true], [:],
    ]
}

// MARK: - Values of the step itself

extension StepArgument {
    /// The item of a step that runs once for each of a list.
    public static var item: Self { Self(parts: [.special(.item(member: nil))]) }

    /// A member of the item.
    public static func item(_ member: String) -> Self { Self(parts: [.special(.item(member: member))]) }

    /// The index of the item, from 0.
    public static var index: Self { Self(parts: [.special(.index)]) }
}

extension StepArgument where Value == String {
    /// The outcome of the other steps, in a step with `finally`: `succeeded`, `failed` or `cancelled`.
    public static var outcome: Self { Self(parts: [.special(.outcome)]) }

    /// The names of the failed steps, in a step with `finally`.
    public static var failedSteps: Self { Self(parts: [.special(.failedSteps)]) }
}

// MARK: - Literals

extension StepArgument: ExpressibleByUnicodeScalarLiteral, ExpressibleByExtendedGraphemeClusterLiteral,
    ExpressibleByStringLiteral, ExpressibleByStringInterpolation
where Value == String {
    /// A constant text.
    public init(stringLiteral value: String) { self.init(parts: [.text(value)]) }

    /// A text with other arguments in it.
    public init(stringInterpolation text: StepText) {
        self.init(parts: text.parts.isEmpty ? [.text("")] : text.parts, problem: text.problem)
    }
}

extension StepArgument: ExpressibleByIntegerLiteral where Value: ExpressibleByIntegerLiteral & Encodable {
    /// A constant number.
    public init(integerLiteral value: Value.IntegerLiteralType) { self.init(Value(integerLiteral: value)) }
}

extension StepArgument: ExpressibleByFloatLiteral where Value: ExpressibleByFloatLiteral & Encodable {
    /// A constant number.
    public init(floatLiteral value: Value.FloatLiteralType) { self.init(Value(floatLiteral: value)) }
}

extension StepArgument: ExpressibleByBooleanLiteral where Value == Bool {
    /// A constant.
    public init(booleanLiteral value: Bool) { self.init(value) }
}

/// A text with arguments in it, while it is built.
public struct StepText: StringInterpolationProtocol {
    fileprivate var parts: [StepValue.Part] = []
    fileprivate var problem: String?

    /// Begins an empty text.
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends constant text.
    public mutating func appendLiteral(_ literal: String) {
        guard !literal.isEmpty else { return }
        if case .text(let before)? = parts.last {
            parts = parts.dropLast() + [.text(before + literal)]
        } else {
            parts.append(.text(literal))
        }
    }

    /// Appends an argument.
    public mutating func appendInterpolation<Value>(_ argument: StepArgument<Value>) { append(argument) }

    private mutating func append<Value>(_ argument: StepArgument<Value>) {
        problem = problem ?? argument.problem
        for part in argument.value.parts {
            if case .text(let text) = part { appendLiteral(text) } else { parts.append(part) }
        }
    }

    /// Appends a text argument, such as `.item`.
    public mutating func appendInterpolation(_ argument: StepArgument<String>) { append(argument) }

    /// Appends constant text.
    public mutating func appendInterpolation(_ constant: some CustomStringConvertible) {
        appendLiteral(constant.description)
    }
}
