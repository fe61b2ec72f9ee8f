import WeirStates

/// A test of a value, for the condition of a step.
///
/// A list passes a test if one of its elements does. An absent value is an empty text.
public struct StepTest<Value>: Sendable {
    package let test: StepCondition.Test
    package let problem: String?

    private init(_ test: StepCondition.Test, problem: String? = nil) {
        self.test = test
        self.problem = problem
    }

    /// The value is one of these; in a text, `*` matches any text.
    public static func isOneOf(_ values: Value...) -> Self where Value: Encodable {
        var problem: String?
        let texts = values.map { value in
            let argument = StepArgument(value)
            problem = problem ?? argument.problem
            guard case .text(let text)? = argument.value.parts.first else { return "" }
            return text
        }
        return Self(.isOneOf(texts), problem: problem)
    }

    /// The value is a number above the bound.
    public static func isAbove(_ bound: Double) -> Self { Self(.isAbove(number(bound))) }

    /// The value is a number below the bound.
    public static func isBelow(_ bound: Double) -> Self { Self(.isBelow(number(bound))) }

    /// The number as a file has it: 1, not 1.0.
    private static func number(_ bound: Double) -> JSONNumber {
        Int64(exactly: bound).flatMap { JSONValue.integer($0).exactNumber } ?? JSONNumber(bound)
    }

    /// The text of the value has a match of an ECMAScript regular expression, matched in bounded time.
    public static func matches(_ pattern: String) -> Self {
        do throws(TextPattern.Mistake) {
            _ = try TextPattern(pattern, for: .line)
            return Self(.matches(pattern))
        } catch {
            return Self(
                .matches(pattern), problem: "The pattern “\(pattern.prefix(60))” cannot be used. \(error.sentence)")
        }
    }

    /// The test does not pass.
    public static func not(_ test: Self) -> Self { Self(.not(test.test), problem: test.problem) }
}
