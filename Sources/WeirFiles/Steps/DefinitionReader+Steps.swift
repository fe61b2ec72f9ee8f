import WeirOperations
import WeirStates

extension DefinitionReader {
    mutating func steps(_ root: FileValue, _ inputs: [DeclaredInput]) -> DeclaredSteps? {
        for key in OperationKeys.program where root[key.name] != nil {
            root[key.name].map {
                list.note(
                    $0, "`\(key.name)` has no meaning beside `steps`. Put it into the step whose program it is for.")
            }
        }
        if let retry = root["retry"] {
            list.note(retry, "`retry` belongs to a step: give it to the one that is to be run again.")
        }
        guard let elements = root["steps"]?.list, !elements.isEmpty else {
            list.note(
                root["steps"] ?? root, "There are no steps. Give `steps`, such as [{name: copy, uses: back-up}].")
            return nil
        }
        var steps: [DeclaredSteps.Step] = []
        for element in elements {
            guard let step = step(element, inputs, after: steps) else { continue }
            steps.append(step)
        }
        return DeclaredSteps(file: file, steps: steps)
    }

    private mutating func step(
        _ value: FileValue, _ inputs: [DeclaredInput], after earlier: [DeclaredSteps.Step]
    ) -> DeclaredSteps.Step? {
        guard let name = value["name"]?.text, Shape.isName(name, limit: 30) else { return nil }
        let place = value["name"]?.place ?? value.place
        checkName(name, place, earlier)
        checkPlain(value["title"])
        let values = values(value["with"], earlier)
        guard let work = work(value, name, inputs, values) else { return nil }
        checkMembers(value, work)
        for other in value["when_failed"]?.list ?? [] {
            guard let text = other.text, !earlier.contains(where: { $0.name == text }) else { continue }
            noteUnknownStep(text, other.place, earlier)
        }
        return DeclaredSteps.Step(
            name: name, place: place, title: LocalizedText(value["title"]), work: work, values: values,
            retry: value["retry"].map { retry in
                StepsPlan.Retry(
                    limit: Int(clamping: retry["limit"]?.integer ?? 1),
                    interval: retry["interval"]?.duration ?? .seconds(10))
            },
            timeout: value["timeout"]?.duration,
            afterFailureOf: Set(value["when_failed"]?.list?.compactMap(\.text) ?? []),
            isRepeatable: value["interrupted"]?.text == "retry")
    }

    private mutating func checkName(_ name: String, _ place: FilePlace, _ earlier: [DeclaredSteps.Step]) {
        if earlier.contains(where: { $0.name == name }) {
            list.note(place, "There is a step “\(name)” already. Rename one.")
        }
        if !CommandState.isFree(name) {
            list.note(place, "“\(name)” is a state that every operation has. Choose another name for the step.")
        }
        if !OperationFolder.isID(name) {
            list.note(place, "The name of a step is made of a-z, 0-9 and single hyphens, such as roll-back.")
        } else if !OperationFolder.isID("\(id)-\(name)") {
            list.note(place, "“\(id)-\(name)” is longer than 40 characters. Choose a shorter name for the step.")
        }
    }

    private mutating func work(
        _ value: FileValue, _ name: String, _ inputs: [DeclaredInput], _ values: [DeclaredSteps.Value]
    ) -> DeclaredSteps.Work? {
        let kinds = ["uses", "approve", "command", "shell"].filter { value[$0] != nil }
        guard kinds.count == 1, let kind = kinds.first else {
            list.note(
                value,
                kinds.isEmpty
                    ? "The step “\(name)” does nothing. Give it `uses`, `command`, `shell` or `approve`."
                    : "The step “\(name)” has \(kinds.map { "`\($0)`" }.joined(separator: " and ")). Keep one of them.")
            return nil
        }
        switch kind {
        case "uses":
            guard let uses = value["uses"], let id = uses.text else { return nil }
            return .other(id, uses.place)
        case "approve": return approval(value["approve"]).map { .approval($0) }
        default:
            let title = LocalizedText(value["title"]) ?? LocalizedText(name)
            return definition(
                value, id: "\(id)-\(name)", title: title, own(inputs, values, value), isStep: true
            ).map { .own($0) }
        }
    }

    /// The inputs of a step's own program: the operation's inputs that it mentions, and those in `with`.
    private func own(
        _ inputs: [DeclaredInput], _ values: [DeclaredSteps.Value], _ value: FileValue
    ) -> [DeclaredInput] {
        let texts = ["command", "shell", "env", "stdin", "succeeded", "failed", "states"].compactMap { value[$0] }
        let given = values.map { given in
            let secret = given.value.parts.contains { part in
                if case .input(let name) = part { fields[name]?.isSecret == true } else { false }
            }
            return DeclaredInput(
                field: InputField(given.name, given.name, secret ? .secret() : .multiline()), label: nil, help: nil,
                place: value)
        }
        let named = inputs.filter { input in
            let name = input.field.name
            return !values.contains { $0.name == name }
                && texts.contains { $0.mentions("{{\(name)}}", "if: \(name)", Self.variable(for: name)) }
        }
        return named + given
    }

    private mutating func approval(_ value: FileValue?) -> StepsPlan.Approval? {
        guard let value, let prompt = value["prompt"] else { return nil }
        for who in value["who"]?.list ?? [] where who.text.map(Self.isDecider) != true {
            list.note(
                who,
                "“\(who.text?.prefix(60) ?? "")” is not a role, group or user: write role:NAME, group:NAME or user:NAME."
            )
        }
        if let otherwise = value["otherwise"], value["within"] == nil {
            list.note(otherwise, "`otherwise` needs `within`, the time after which it counts.")
        }
        return self.value(prompt).map { text in
            StepsPlan.Approval(
                prompt: text, within: value["within"]?.duration,
                approvesByItself: value["otherwise"]?.text == "approve",
                who: value["who"]?.list?.compactMap(\.text) ?? [])
        }
    }

    private static func isDecider(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 1)
        return parts.count == 2 && ["role", "group", "user"].contains(parts[0])
    }

    /// Reports members that have no meaning for this kind of step.
    private mutating func checkMembers(_ value: FileValue, _ work: DeclaredSteps.Work) {
        let program = Set(OperationKeys.program.map(\.name))
        for member in value.members ?? [] {
            let isWrong: Bool
            switch work {
            case .own: isWrong = false
            case .other: isWrong = program.contains(member.name)
            case .approval:
                isWrong =
                    program.contains(member.name)
                    || ["with", "retry", "timeout", "interrupted"].contains(member.name)
            }
            guard isWrong else { continue }
            list.note(
                member.place,
                "`\(member.name)` has no meaning for a step that \(value["uses"] == nil ? "asks a person" : "uses another operation"). Remove it."
            )
        }
    }

    // MARK: Values

    private mutating func values(_ value: FileValue?, _ earlier: [DeclaredSteps.Step]) -> [DeclaredSteps.Value] {
        (value?.members ?? []).compactMap { member in
            guard let text = self.value(member.value) else { return nil }
            for case .reported(let step, _) in text.parts {
                guard let other = earlier.first(where: { $0.name == step }) else {
                    noteUnknownStep(step, member.value.place, earlier)
                    continue
                }
                if case .approval = other.work {
                    list.note(member.value, "The step “\(step)” asks a person, and reports no values.")
                }
            }
            return DeclaredSteps.Value(
                name: member.name, place: member.place, value: text, valuePlace: member.value.place)
        }
    }

    /// A text with inputs of the operation and reported values of earlier steps.
    private mutating func value(_ value: FileValue) -> StepValue? {
        guard let text = value.text else { return nil }
        do throws(TextTemplate.Mistake) {
            let read = try StepValue(text)
            for case .input(let name) in read.parts where !isField(name) { noteUnknown(name, value) }
            return read
        } catch {
            list.note(value, error.sentence)
            return nil
        }
    }

    private mutating func noteUnknownStep(_ name: String, _ place: FilePlace, _ earlier: [DeclaredSteps.Step]) {
        let names = earlier.map(\.name)
        let remedy =
            NearestName.of(name, among: names).map { "Did you mean “\($0)”?" }
            ?? (names.isEmpty ? "This is the first one." : "Before it come \(names.joined(separator: ", ")).")
        list.note(place, "There is no step “\(name.prefix(40))” before this one. \(remedy)")
    }
}

extension FileValue {
    /// Whether one of the texts contains one of the arguments, ignoring spaces within braces.
    fileprivate func mentions(_ field: String, _ condition: String, _ variable: String) -> Bool {
        switch content {
        case .text(let text, _):
            text.contains(variable) || text.filter { $0 != " " }.contains(field)
        case .list(let elements): elements.contains { $0.mentions(field, condition, variable) }
        case .mapping(let members):
            members.contains {
                $0.value.mentions(field, condition, variable)
                    || ($0.name == "if" && "if: \($0.value.text ?? "")" == condition)
            }
        }
    }
}
