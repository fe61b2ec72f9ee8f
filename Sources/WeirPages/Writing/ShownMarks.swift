import WeirOperations
import WeirStates

/// The marks by which the style sheet hides the fields of a form whose conditions are not met, without a script.
///
/// Each mark is a number. A control or option with the mark in `data-opens` meets it while it is checked, one with the mark
/// in `data-shuts` while it is not. A field is hidden while one of the marks in its `data-needs` is not met.
struct ShownMarks {
    /// The number of marks in the style sheet; fields with further conditions are always shown, and the server decides.
    static let limit = 10

    private struct Mark: Hashable {
        let field: String
        let test: StepCondition.Test
        /// The value that must not be chosen among several; nil if one that passes the test must be.
        var unwanted: JSONValue?
    }

    private var marks: [Mark] = []
    private var needs: [String: [Int]] = [:]

    init(_ fields: [InputField]) {
        for field in fields {
            let needed = field.conditions.flatMap { condition -> [Mark] in
                guard let decider = fields.first(where: { $0.name == condition.field }) else { return [] }
                return condition.tests.flatMap { Self.marks($0, of: decider) }
            }
            for mark in needed {
                if !marks.contains(mark), marks.count < Self.limit { marks.append(mark) }
                if let index = marks.firstIndex(of: mark) { needs[field.name, default: []].append(index + 1) }
            }
        }
    }

    private static func marks(_ test: StepCondition.Test, of field: InputField) -> [Mark] {
        guard field.takesSeveral, case .choice(let values) = field.kind else {
            return [Mark(field: field.name, test: test)]
        }
        guard case .not(let unwanted) = test else { return [Mark(field: field.name, test: test)] }
        return values.map(JSONValue.string).filter(unwanted.holds).map {
            Mark(field: field.name, test: test, unwanted: $0)
        }
    }

    /// The marks that a field needs, separated by spaces, or nil if it is always shown.
    func needs(_ field: InputField) -> String? { Self.text(needs[field.name] ?? []) }

    /// The marks that a value of a field meets.
    func opens(_ value: JSONValue?, of field: InputField) -> String? {
        numbers { $0.field == field.name && $0.unwanted == nil && $0.test.holds(for: value) }
    }

    /// The marks that a value of several choices does not meet.
    func shuts(_ value: JSONValue, of field: InputField) -> String? {
        numbers { $0.field == field.name && $0.unwanted == value }
    }

    private func numbers(_ isIncluded: (Mark) -> Bool) -> String? {
        Self.text(marks.indices.filter { isIncluded(marks[$0]) }.map { $0 + 1 })
    }

    private static func text(_ numbers: [Int]) -> String? {
        numbers.isEmpty ? nil : numbers.map { String($0) }.joined(separator: " ")
    }
}
