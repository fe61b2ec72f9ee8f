import WeirOperations
import WeirStates

extension DefinitionReader {
    mutating func presets(_ value: FileValue?, _ fields: [InputField]) -> [InputPreset] {
        var presets: [InputPreset] = []
        for member in value?.members ?? [] {
            guard InputPreset.isName(member.name) else {
                list.note(
                    member.place, "The name of a preset has 1 to \(InputPreset.nameLimit) characters. Shorten it.")
                continue
            }
            let input = presetValues(member.value, fields)
            presets.append(InputPreset(name: member.name, input: .object(input)))
        }
        return presets
    }

    private mutating func presetValues(_ value: FileValue, _ fields: [InputField]) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for member in value.members ?? [] {
            guard let field = fields.first(where: { $0.name == member.name }) else {
                noteUnknown(member.name, member.value)
                continue
            }
            guard field.isKeptInPresets else {
                let kind = field.isSecret ? "secret" : "file"
                list.note(
                    member.place,
                    "A preset cannot give the \(kind) “\(member.name.prefix(40))”. Remove it, so that the form asks for it."
                )
                continue
            }
            let given = givenText(member.value).flatMap { field.value(fromForm: $0) } ?? .null
            // The values of a choice that a program lists are known only later, and are checked when a run starts.
            guard !field.isPending, given != .null else {
                values[field.name] = given
                continue
            }
            do throws(InputMistakes) {
                values[field.name] = try InputField.validate(
                    .object([field.name: given]), fields: [field.optional])[field.name]
            } catch {
                for mistake in error.mistakes {
                    list.note(member.value, "A preset gives “\(field.name.prefix(40))”: \(mistake.detail)")
                }
            }
        }
        return values
    }
}
