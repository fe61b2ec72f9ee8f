package import WeirStates

/// The condition of a step: rules about values, and optionally a program that must end with exit code 0.
package struct StepCondition: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        /// An input of the whole run.
        case input(String)
        /// A value of another step's run at its end.
        case step(String, value: String)
        /// The outcome of the other steps, for a step that runs after all of them.
        case outcome
        /// A value of the run that is judged.
        case own(String)
    }

    package indirect enum Test: Sendable, Hashable, Codable {
        /// The text of the value is one of these, in which `*` matches any text.
        case isOneOf([String])
        case isAbove(JSONNumber)
        case isBelow(JSONNumber)
        /// The text of the value has a match of the regular expression.
        case matches(String)
        case not(Test)
    }

    package struct Rule: Sendable, Hashable {
        package let source: Source
        package let test: Test

        package init(_ source: Source, _ test: Test) {
            self.source = source
            self.test = test
        }
    }

    package let rules: [Rule]
    /// The operation whose run must end with exit code 0, its input, and its program for people.
    package let command: Command?

    package struct Command: Sendable, Hashable {
        package let operation: String
        package let input: [String: StepValue]
        package let words: String

        package init(operation: String, input: [String: StepValue], words: String) {
            self.operation = operation
            self.input = input
            self.words = words
        }
    }

    package init(_ rules: [Rule], command: Command? = nil) {
        self.rules = rules
        self.command = command
    }

    /// The first rule that does not hold.
    package func unmet(_ value: (Source) -> JSONValue?) -> Rule? {
        rules.first { !$0.test.holds(for: value($0.source)) }
    }
}

extension StepCondition.Test {
    /// Whether the test holds for a value, or for one of the values of a list; an absent one is an empty text.
    package func holds(for value: JSONValue?) -> Bool {
        switch self {
        case .not(let test): return !test.holds(for: value)
        case _ where value?.array?.isEmpty == false: return value?.array?.contains { holds(for: $0) } == true
        case .isOneOf(let texts): return texts.contains { Self.fits(Self.text(value), $0) }
        case .isAbove(let bound): return Self.number(value).map(bound.isLess(than:)) ?? false
        case .isBelow(let bound): return Self.number(value)?.isLess(than: bound) ?? false
        case .matches(let pattern):
            guard let compiled = try? TextPattern(pattern, for: .line) else { return false }
            if case .matched = compiled.match(Self.text(value)).outcome { return true }
            return false
        }
    }

    private static func text(_ value: JSONValue?) -> String { value?.exactText ?? "" }

    /// The number with all its digits, also of a text that is one.
    private static func number(_ value: JSONValue?) -> JSONNumber? {
        value?.exactNumber ?? value?.string.flatMap { JSONValue(number: $0)?.exactNumber }
    }

    /// Whether a text fits one in which `*` matches any text.
    static func fits(_ text: String, _ wanted: String) -> Bool {
        let parts = wanted.split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count > 1, let first = parts.first, let last = parts.last else { return text == wanted }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}

extension StepCondition.Rule {
    /// The rule as an English clause, such as “inputs.version is 2.* or 3.*”.
    package var words: String { "\(source.words) \(test.words(isNegated: false))" }
}

extension StepCondition.Source {
    package var words: String {
        switch self {
        case .input(let name): "inputs.\(name)"
        case .step(let step, let value): "steps.\(step).\(value)"
        case .outcome: "outcome"
        case .own(let name): name
        }
    }
}

extension StepCondition.Test {
    fileprivate func words(isNegated: Bool) -> String {
        let not = isNegated ? "not " : ""
        switch self {
        case .isOneOf(let texts):
            return "is \(not)\(texts.map { $0.isEmpty ? "empty" : $0 }.joined(separator: " or "))"
        case .isAbove(let bound): return "is \(not)above \(Self.number(bound))"
        case .isBelow(let bound): return "is \(not)below \(Self.number(bound))"
        case .matches(let pattern): return isNegated ? "does not match \(pattern)" : "matches \(pattern)"
        case .not(let test): return test.words(isNegated: !isNegated)
        }
    }

    private static func number(_ value: JSONNumber) -> String { value.whole.map(String.init) ?? value.description }
}
