import WeirBoards
import WeirOperations
import WeirStates

extension DefinitionReader {
    /// The triggers of a file.
    mutating func triggers(_ value: FileValue?, _ fields: [InputField]) -> [TriggerRule] {
        var names: Set<String> = []
        return (value?.list ?? []).compactMap { each in
            guard let name = each["name"]?.text, let secret = each["secret"]?.text else { return nil }
            if !names.insert(name).inserted {
                list.note(each, "There are two triggers “\(name)”. Give one another name.")
            }
            let filters = (each["only"]?.members ?? []).compactMap { filter($0) }
            let inputs = (each["inputs"]?.members ?? []).compactMap { triggerInput($0, fields) }
            for field in fields where field.isRequired && field.defaultValue == nil {
                guard each["inputs"]?[field.name] == nil else { continue }
                list.note(
                    each["inputs"] ?? each,
                    "A run cannot start without “\(field.name)”. Write where its value is, such as \(field.name): "
                        + "\"{{body.\(field.name)}}\".")
            }
            return TriggerRule(
                operation: id, name: name, form: each["form"]?.text.flatMap(TriggerRule.Form.init) ?? .github,
                secret: secret, filters: filters, inputs: inputs)
        }
    }

    private mutating func filter(_ member: FileMember) -> TriggerRule.Filter? {
        guard let path = ValuePath(member.name), isInRequest(path) else {
            list.note(
                member.place,
                "“\(member.name.prefix(60))” is no place in a request. Write a path such as body.ref or header.X-GitHub-Event."
            )
            return nil
        }
        let values = member.value.list?.compactMap(\.text) ?? [member.value.text].compactMap { $0 }
        return TriggerRule.Filter(path: path, values: values)
    }

    private mutating func triggerInput(_ member: FileMember, _ fields: [InputField]) -> TriggerRule.Input? {
        guard fields.contains(where: { $0.name == member.name }) else {
            let nearest = NearestName.of(member.name, among: fields.map(\.name)).map { "Did you mean `\($0)`?" }
            list.note(
                member.place,
                "There is no input “\(member.name.prefix(40))”. \(nearest ?? "Declare it in `inputs` of the operation.")"
            )
            return nil
        }
        guard let template = pathTemplate(member.value) else { return nil }
        for path in template.paths where !isInRequest(path) {
            list.note(
                member.value,
                "“{{\(path)}}” is no place in a request. Write a path such as {{body.ref}} or {{header.X-GitHub-Event}}."
            )
        }
        return TriggerRule.Input(name: member.name, value: template)
    }

    private func isInRequest(_ path: ValuePath) -> Bool {
        switch path.root {
        case "body": path.below != nil
        case "header": path.names.count == 2
        default: false
        }
    }

    /// A text with places for values.
    mutating func pathTemplate(_ value: FileValue) -> PathTemplate? {
        guard let text = value.text else { return nil }
        do throws(PathTemplate.Mistake) {
            return try PathTemplate(text)
        } catch {
            list.note(value, error.sentence)
            return nil
        }
    }
}
