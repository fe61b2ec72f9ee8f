package import WeirStates

/// A template for a step's value, with references to inputs and to values of earlier steps.
///
/// Inserted values are not expanded again.
package struct StepValue: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        /// An input of the whole run.
        case input(String)
        /// A value of an earlier step's run at its end.
        case reported(step: String, value: String)
        case special(Special)
    }

    /// A value that depends on the step that it is for.
    package enum Special: Sendable, Hashable {
        /// The item of a step that runs once for each of a list, or a member of it.
        case item(member: String?)
        /// The item's index, from 0.
        case index
        /// The outcome of the other steps, for a step that runs after all of them.
        case outcome
        /// The names of the failed steps, for a step that runs after all of them.
        case failedSteps

        /// Its name between braces.
        package var name: String {
            switch self {
            case .item(let member): member.map { "item.\($0)" } ?? "item"
            case .index: "index"
            case .outcome: "outcome"
            case .failedSteps: "failed_steps"
            }
        }
    }

    package let parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts }

    package enum Missing: Error, Hashable {
        /// An input was not given; the caller decides what that means.
        case input(String)
        case reported(step: String, value: String)
        case special(Special)
    }

    /// Evaluates the template; a single reference keeps the value's type; otherwise the result is a text.
    package func filled(
        input: [String: JSONValue], reported: [String: [String: JSONValue]],
        special: (Special) -> JSONValue? = { _ in nil }
    ) throws(Missing) -> JSONValue {
        var text = ""
        for part in parts {
            let value: JSONValue
            switch part {
            case .text(let fixed): value = .string(fixed)
            case .input(let name):
                guard let given = input[name], given != .null else { throw .input(name) }
                value = given
            case .reported(let step, let name):
                guard let given = reported[step]?[name] else { throw .reported(step: step, value: name) }
                value = given
            case .special(let name):
                guard let given = special(name) else { throw .special(name) }
                value = parts.count == 1 ? given : .string(given.exactText ?? (try? given.text()) ?? "")
            }
            if parts.count == 1 { return value }
            text += value.exactText ?? (try? value.text()) ?? ""
        }
        return .string(text)
    }
}
