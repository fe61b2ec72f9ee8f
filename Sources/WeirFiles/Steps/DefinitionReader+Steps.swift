import WeirBoards
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
        let order = order(elements)
        checkOrder(order, elements)
        if let atOnce = root["at_once"], !order.isGraph, !elements.contains(where: { $0["for_each"] != nil }) {
            list.note(
                atOnce,
                "`at_once` has no meaning for steps that follow each other. Give `needs` to the steps that can begin "
                    + "earlier.")
        }
        stepValues = Dictionary(elements.compactMap { step in step["name"]?.text.map { ($0, step) } }) { first, _ in
            first
        }
        defer { stepValues = [:] }
        var steps: [DeclaredSteps.Step] = []
        for element in elements {
            guard let step = step(element, inputs, order, after: steps) else { continue }
            steps.append(step)
        }
        return DeclaredSteps(
            file: file, steps: steps, atOnce: root["at_once"]?.integer.map { Int(clamping: $0) } ?? 4,
            stopsAfterFailure: root["when_a_step_fails"]?.text == "stop")
    }

    private mutating func step(
        _ value: FileValue, _ inputs: [DeclaredInput], _ order: StepOrder, after earlier: [DeclaredSteps.Step]
    ) -> DeclaredSteps.Step? {
        guard let name = value["name"]?.text, Shape.isName(name, limit: 30) else { return nil }
        let place = value["name"]?.place ?? value.place
        checkName(name, place, earlier)
        checkPlain(value["title"])
        let scope = StepScope(name: name, order: order, isForEach: value["for_each"] != nil)
        checkSpecialNames(inputs, value, scope)
        let values = values(value["with"], scope) + mentionedValues(value, scope)
        guard let work = work(value, name, inputs, values, scope) else { return nil }
        checkMembers(value, work)
        let condition = condition(value["if"], value, scope, inputs)
        let list = forEach(value, scope)
        return DeclaredSteps.Step(
            name: name, place: place, title: LocalizedText(value["title"]), work: work, values: values,
            retry: value["retry"].map { retry in
                StepsPlan.Retry(
                    limit: Int(clamping: retry["limit"]?.integer ?? 1),
                    interval: retry["interval"]?.duration ?? .seconds(10))
            },
            timeout: value["timeout"]?.duration,
            afterFailureOf: Set(value["when_failed"]?.list?.compactMap(\.text) ?? []),
            isRepeatable: value["interrupted"]?.text == "retry",
            needs: value["needs"]?.list?.compactMap(\.text), allowsFailure: order[name]?.allowsFailure ?? false,
            scope: scope, condition: condition, forEach: list,
            repetition: repetition(of: value))
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
        _ value: FileValue, _ name: String, _ inputs: [DeclaredInput], _ values: [DeclaredSteps.Value],
        _ scope: StepScope
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
        case "approve": return approval(value["approve"], scope).map { .approval($0) }
        default:
            let title = LocalizedText(value["title"]) ?? LocalizedText(name)
            return definition(
                value, id: "\(id)-\(name)", title: title, own(inputs, values, value, scope), isStep: true
            ).map { .own($0) }
        }
    }

    /// The inputs of a step's own program: the operation's inputs that it mentions, those in `with`, and the values that
    /// every such step has.
    func own(
        _ inputs: [DeclaredInput], _ values: [DeclaredSteps.Value], _ value: FileValue, _ scope: StepScope
    ) -> [DeclaredInput] {
        let texts = Self.programTexts(value)
        let given = values.map { given in
            let secret = given.value.parts.contains { part in
                if case .input(let name) = part { fields[name]?.isSecret == true } else { false }
            }
            return DeclaredInput(
                field: InputField(given.name, given.name, secret ? .secret() : .multiline()), label: nil, help: nil,
                place: value)
        }
        let isMentioned = { (name: String) in
            !values.contains { $0.name == name }
                && texts.contains { $0.mentions("{{\(name)}}", "if: \(name)", Self.variable(for: name)) }
        }
        let special = scope.specialNames(in: texts).filter(isMentioned).map { name in
            DeclaredInput(
                field: InputField(name, name, name == "index" ? .integer(0...Int64.max) : .multiline()), label: nil,
                help: nil, place: value)
        }
        // The input that decides whether another is shown need not be mentioned.
        let mentioned = inputs.filter { isMentioned($0.field.name) }.map { input in
            var input = input
            if !input.field.conditions.isEmpty { input.field = input.field.optional }
            return input
        }
        return mentioned + given + special
    }

    private mutating func approval(_ value: FileValue?, _ scope: StepScope) -> StepsPlan.Approval? {
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
        return self.value(prompt, scope).map { text in
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
                    || ["with", "retry", "timeout", "interrupted", "for_each", "repeat"].contains(member.name)
            }
            guard isWrong else { continue }
            list.note(
                member.place,
                "`\(member.name)` has no meaning for a step that \(value["uses"] == nil ? "asks a person" : "uses another operation"). Remove it."
            )
        }
        if let repeated = value["repeat"], value["retry"] != nil {
            list.note(repeated, "A step has `repeat` or `retry`, not both. Remove one.")
        }
        if let atOnce = value["at_once"], value["for_each"] == nil {
            list.note(atOnce, "`at_once` of a step belongs to `for_each`. Remove it, or give it to the whole file.")
        }
    }

    // MARK: Values

    private mutating func values(_ value: FileValue?, _ scope: StepScope) -> [DeclaredSteps.Value] {
        (value?.members ?? []).compactMap { member in
            guard let text = self.value(member.value, scope) else { return nil }
            return DeclaredSteps.Value(
                name: member.name, place: member.place, value: text, valuePlace: member.value.place)
        }
    }

    /// The values of earlier steps that the texts of a program mention, as if they were given in `with`.
    mutating func mentionedValues(_ value: FileValue, _ scope: StepScope) -> [DeclaredSteps.Value] {
        guard value["literal"]?.flag != true else { return [] }
        var values: [DeclaredSteps.Value] = []
        for leaf in Self.programTexts(value).flatMap(\.leaves) where leaf.place != value["shell"]?.place {
            for case .name(let braced) in BracedText.parts(of: leaf.text ?? "") ?? [] {
                guard let match = "{{\(braced)}}".wholeMatch(of: StepScope.reference) else { continue }
                let (step, name) = (String(match.output.1), String(match.output.2))
                let field = "steps.\(step).\(name)"
                guard !values.contains(where: { $0.name == field }) else { continue }
                checkReference(step, name, leaf.place, scope)
                values.append(
                    DeclaredSteps.Value(
                        name: field, place: leaf.place, value: StepValue([.reported(step: step, value: name)]),
                        valuePlace: leaf.place))
            }
        }
        return values
    }

    static func programTexts(_ value: FileValue) -> [FileValue] {
        ["command", "shell", "env", "stdin", "succeeded", "failed", "states"].compactMap { value[$0] }
    }

    /// A text with inputs of the operation and reported values of earlier steps.
    mutating func value(_ value: FileValue, _ scope: StepScope) -> StepValue? {
        guard let text = givenText(value) else { return nil }
        do throws(TextTemplate.Mistake) {
            let read = try StepValue(text, scope)
            for part in read.parts {
                switch part {
                case .input(let name) where !isField(name): noteUnknown(name, value)
                case .reported(let step, let name): checkReference(step, name, value.place, scope)
                case .input, .special, .text: break
                }
            }
            return read
        } catch {
            list.note(value, error.sentence)
            return nil
        }
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
