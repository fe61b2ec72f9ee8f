import WeirOperations
import WeirStates

/// The conditions under which inputs are shown.
extension DefinitionReader {
    /// Reads `if` of an input, with the conditions under which the inputs that it names are shown themselves.
    mutating func conditions(_ value: FileValue?, _ earlier: [DeclaredInput]) -> [InputCondition] {
        guard let members = value?.members else { return [] }
        if members.isEmpty, let value {
            list.note(value, "`if` has no condition. Write one such as {environment: production}.")
        }
        return members.flatMap { member -> [InputCondition] in
            guard let input = earlier.first(where: { $0.field.name == member.name }) else {
                let nearest = NearestName.of(member.name, among: earlier.map(\.field.name)).map {
                    "Did you mean `\($0)`?"
                }
                list.note(
                    member.place,
                    "There is no input “\(member.name.prefix(40))” above this one. "
                        + (nearest ?? "Declare the input that decides first."))
                return []
            }
            let condition = InputCondition(
                input.field.name, tests(member.value).map { input.field.kind == .boolean ? $0.takingAbsentAsFalse : $0 }
            )
            // The values that a program lists are unknown here.
            if input.place["options"]?.members == nil { check(condition, input.field, member.place) }
            return input.field.conditions + [condition]
        }
    }

    /// Reports an input that cannot decide in a form, and a condition that no value or every value meets.
    private mutating func check(_ condition: InputCondition, _ field: InputField, _ place: FilePlace) {
        var values: [JSONValue?]
        switch field.kind {
        case .choice(let options): values = options.map { field.takesSeveral ? [.string($0)] : .string($0) }
        case .boolean: values = [.bool(true), .bool(false)]
        default:
            list.note(
                place,
                "The input “\(field.name)” cannot decide what a form shows. Use an input of the type `choice`, `choices` "
                    + "or `switch`.")
            return
        }
        if field.takesSeveral || (field.kind != .boolean && field.defaultValue == nil && !field.isRequired) {
            values.append(nil)
        }
        let words = field.kind == .boolean ? "true, false" : values.compactMap { $0?.formText }.joined(separator: ", ")
        if !values.contains(where: condition.holds) {
            list.note(
                place, "The input can never be shown: `\(field.name)` is one of \(words). Correct the condition.")
        } else if values.allSatisfy(condition.holds) {
            list.note(place, "The input is always shown. Remove the condition on `\(field.name)`, or correct it.")
        }
    }

    /// The text of an input's value: that of a list is its values, separated by commas.
    func givenText(_ value: FileValue) -> String? {
        value.text ?? value.list?.compactMap(\.text).joined(separator: ",")
    }
}

extension StepCondition.Test {
    /// The test of a switch, which is off if no value is given.
    fileprivate var takingAbsentAsFalse: StepCondition.Test {
        switch self {
        case .isOneOf(let texts) where texts.contains("false"): .isOneOf(texts + [""])
        case .not(let test): .not(test.takingAbsentAsFalse)
        default: self
        }
    }
}
