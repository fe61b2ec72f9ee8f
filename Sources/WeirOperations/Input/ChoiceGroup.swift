import WeirStates

/// Values of a choice that count only beside certain values of other fields: the tables of one database.
package struct ChoiceGroup: Sendable, Hashable, Codable {
    /// A field and the value that it must have.
    package struct Condition: Sendable, Hashable, Codable {
        package let field: String
        package let value: String

        package init(field: String, value: String) {
            self.field = field
            self.value = value
        }
    }

    /// What the other fields must be; empty where the values always count.
    package let conditions: [Condition]
    /// The values.
    package let values: [String]

    /// Makes a group.
    package init(_ values: [String], beside conditions: [Condition] = []) {
        self.values = values
        self.conditions = conditions
    }
}

extension InputField {
    /// The fields that its values depend on.
    package var conditionFields: Set<String> { Set(groups.flatMap { $0.conditions.map(\.field) }) }

    /// What is wrong with the value of a choice beside the other values of an input that fits by itself; nil if nothing is.
    func mistake(beside input: [String: JSONValue]) -> InputMistake? {
        guard !groups.isEmpty, let value = input[name]?.string else { return nil }
        let fitting = groups.filter { group in
            group.conditions.allSatisfy { input[$0.field]?.string == $0.value }
        }
        let values = fitting.flatMap(\.values)
        if values.contains(value) { return nil }
        return InputMistake(
            field: name,
            message: values.isEmpty
                ? Message(InputWording.choiceNone, ["fields": .all(conditionFields.sorted().map { "“\($0)”" })])
                : Message(
                    InputWording.choiceNot,
                    ["values": .either(values.map { "“\($0)”" }), "given": "“\(Self.shortened(value))”"]))
    }
}
