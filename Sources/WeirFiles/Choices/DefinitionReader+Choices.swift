import WeirOperations

extension DefinitionReader {
    /// The programs that list the values of choices, by field.
    mutating func choices(_ inputs: [DeclaredInput]) -> [String: ChoiceCommand] {
        take(inputs)
        defer { take([]) }
        var choices: [String: ChoiceCommand] = [:]
        for input in inputs {
            guard let options = input.place["options"], let command = options["command"],
                let arguments = self.command(command)
            else { continue }
            choices[input.field.name] = ChoiceCommand(
                arguments: arguments.flatMap(\.templates), cache: options["cache"]?.duration ?? .seconds(60))
        }
        for input in inputs {
            guard let choice = choices[input.field.name] else { continue }
            checkFields(of: choice, choices, input.place["options"]?["command"] ?? input.place)
        }
        return choices
    }

    /// Refuses lists that could be had only once the form is filled in.
    private mutating func checkFields(
        of choice: ChoiceCommand, _ choices: [String: ChoiceCommand], _ place: FileValue
    ) {
        var count = 1
        for name in choice.fields {
            if let other = choices[name] {
                guard !other.fields.isEmpty else { continue }
                list.note(
                    place,
                    "The values of “\(name)” depend on another input themselves, and a list cannot depend on those. Use "
                        + "an input whose values are the same whatever is chosen elsewhere.")
            } else if case .choice(let values) = fields[name]?.kind {
                let (product, isOver) = count.multipliedReportingOverflow(by: values.count)
                count = isOver ? .max : product
            } else if fields[name] != nil {
                list.note(
                    place,
                    "The program is run for each value that {{\(name)}} can have, so that must be a choice. Give it "
                        + "`options`.")
            }
        }
        if count > ChoiceCommand.combinations {
            list.note(
                place,
                "The program would be run for \(count) combinations of values, and at most "
                    + "\(ChoiceCommand.combinations) are possible. Depend on fewer values.")
        }
    }
}
