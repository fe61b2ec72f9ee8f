import WeirBoards
import WeirOperations
import WeirStates

/// The order of steps, the lists for which they run, and their repetition.
extension DefinitionReader {
    func order(_ elements: [FileValue]) -> StepOrder {
        StepOrder(
            entries: elements.compactMap { value in
                value["name"]?.text.map { name in
                    StepOrder.Entry(
                        name: name, needs: value["needs"]?.list?.compactMap(\.text),
                        afterFailureOf: value["when_failed"]?.list?.compactMap(\.text),
                        isFinally: value["finally"]?.flag == true, allowsFailure: value["allow_failure"]?.flag == true)
                }
            }, isGraph: elements.contains { $0["needs"] != nil })
    }

    /// Reports steps whose needs cannot be met.
    mutating func checkOrder(_ order: StepOrder, _ elements: [FileValue]) {
        for mistake in order.mistakes(whenFailed: "when_failed") {
            guard let element = elements.first(where: { $0["name"]?.text == mistake.step }) else { continue }
            let place: FileValue?
            switch mistake.place {
            case .name: place = element["name"]
            case .needs: place = element["needs"]
            case .whenFailed: place = element["when_failed"]
            case .need(let need):
                place = ["needs", "when_failed"].compactMap { element[$0]?.list?.first { $0.text == need } }.first
            }
            list.note(place ?? element, mistake.sentence)
        }
        for element in elements {
            for key in ["needs", "when_failed"] {
                var names: Set<String> = []
                for value in element[key]?.list ?? [] {
                    guard let name = value.text, !names.insert(name).inserted else { continue }
                    list.note(value, "`\(key)` names the step “\(name.prefix(40))” twice. Remove one.")
                }
            }
        }
    }

    /// Reports inputs of the operation that have the name of one of the step's `specialNames`.
    mutating func checkSpecialNames(_ inputs: [DeclaredInput], _ value: FileValue, _ scope: StepScope) {
        let key = scope.isForEach ? "for_each" : "finally"
        for input in inputs where scope.specialNames.contains(input.field.name) {
            list.note(
                input.place["name"] ?? input.place,
                "In the step “\(scope.name)”, {{\(input.field.name)}} is a value of `\(key)`. Rename the input.")
        }
    }

    // MARK: Items and repetitions

    mutating func forEach(_ step: FileValue, _ scope: StepScope) -> StepsPlan.ForEach? {
        guard let value = step["for_each"] else { return nil }
        let atOnce = step["at_once"]?.integer.map { Int(clamping: $0) }
        if let elements = value.list {
            if elements.isEmpty {
                list.note(value, "The step “\(scope.name)” can never run: its list is empty. Give it items.")
            }
            for element in elements where element.hasBraces {
                list.note(
                    element,
                    "An item of a list cannot hold {{…}}. Give the whole list as one value, or use `with`. "
                        + BracedText.escape)
            }
            checkMembers(of: elements, step, scope)
            return StepsPlan.ForEach(.fixed(elements.map(\.json)), atOnce: atOnce)
        }
        let outside = StepScope(name: scope.name, order: scope.order, isForEach: false)
        guard let template = self.value(value, outside) else { return nil }
        for case .input(let name) in template.parts where fields[name]?.isSecret == true {
            list.note(value, "The secret “\(name)” cannot be a list, because the items of a list are recorded.")
        }
        checkList(template, value, scope)
        return StepsPlan.ForEach(.value(template), atOnce: atOnce)
    }

    /// Reports a text that is no list, and an input whose values never are.
    private mutating func checkList(_ template: StepValue, _ value: FileValue, _ scope: StepScope) {
        guard template.parts.count == 1 else { return }
        switch template.parts[0] {
        case .input(let name):
            guard let field = fields[name] else { return }
            switch field.kind {
            case .integer, .number, .boolean, .url:
                list.note(
                    value,
                    "The input “\(name)” is \(field.valueWords), and no list. Give it the type `choices` or `multiline`."
                )
            case .text, .multiline, .choice, .secret, .file: break
            }
        case .text(let text):
            let lines = text.split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
            if lines.isEmpty {
                list.note(value, "The step “\(scope.name)” can never run: its list is empty. Give it items.")
            } else if lines.count == 1, (try? JSONValue(parsing: text))?.array == nil {
                list.note(
                    value,
                    "“\(text.prefix(60))” is no list. Write one such as [a, b], an input such as {{regions}}, or what a "
                        + "step printed, such as {{steps.regions.output}}.")
            }
        case .reported, .special: break
        }
    }

    /// Reports items without a member that the step's texts name.
    private mutating func checkMembers(of elements: [FileValue], _ step: FileValue, _ scope: StepScope) {
        let members = scope.specialNames(in: Self.programTexts(step) + [step["with"]].compactMap { $0 }).compactMap {
            $0.hasPrefix("item.") ? String($0.dropFirst(5)) : nil
        }
        for element in elements {
            let value = element.json
            for name in members where value.itemMember(named: name) == nil {
                list.note(element, "This item has no “\(name)”, which the step “\(scope.name)” uses. Give it one.")
            }
        }
    }

    mutating func repetition(of step: FileValue) -> StepsPlan.Repetition? {
        guard let value = step["repeat"], let until = until(value["until"], of: step) else { return nil }
        return StepsPlan.Repetition(
            interval: value["every"]?.duration ?? .seconds(10), until: until,
            limit: Int(clamping: value["limit"]?.integer ?? 1))
    }
}

extension StepScope {
    /// The names of the item, or of the outcome, that only this step can use.
    var specialNames: [String] {
        (isForEach ? ["item", "index"] : []) + (isFinally ? ["outcome", "failed_steps"] : [])
    }

    /// The member of a step that gives it a value of that name.
    static func key(of name: String) -> String? {
        switch name {
        case "item", "index": "for_each"
        case "outcome", "failed_steps": "finally"
        default: name.hasPrefix("item.") ? "for_each" : nil
        }
    }

    /// A value of another step in a text.
    static var reference: Regex<(Substring, Substring, Substring)> {
        /\{\{ *steps\.([a-z0-9-]{1,40})\.(artifacts\.[0-9]{1,3}|[A-Za-z][A-Za-z0-9_-]{0,39}) *\}\}/
    }

    /// Whether a name in double braces is a member of an item, or a value of another step.
    static func isValue(_ name: String) -> Bool {
        name.hasPrefix("item.") && Shape.isName(String(name.dropFirst(5)), limit: 40)
            || "{{\(name)}}".wholeMatch(of: reference) != nil
    }

    /// These, with the members of the item that texts mention.
    func specialNames(in texts: [FileValue]) -> [String] {
        guard isForEach else { return specialNames }
        var members: Set<String> = []
        for text in texts.flatMap(\.leaves).compactMap(\.text) {
            for case .name(let braced) in BracedText.parts(of: text) ?? [] {
                guard let match = braced.wholeMatch(of: #/ *item\.([A-Za-z][A-Za-z0-9_-]{0,39}) */#) else { continue }
                members.insert(String(match.output.1))
            }
            for match in text.matches(of: /WEIR_INPUT_ITEM_([A-Z][A-Z0-9_]{0,39})/) {
                let name = match.output.1.lowercased()
                if !members.contains(where: { $0.lowercased() == name }) { members.insert(name) }
            }
        }
        return specialNames + members.sorted().map { "item.\($0)" }
    }
}

extension FileValue {
    /// All texts in the value, with their places.
    var leaves: [FileValue] {
        switch content {
        case .text: [self]
        case .list(let elements): elements.flatMap(\.leaves)
        case .mapping(let members): members.flatMap(\.value.leaves)
        }
    }

    /// Whether a text has more in braces than the escape of literal ones.
    fileprivate var hasBraces: Bool { leaves.contains { $0.text.map { Self.literal($0) == nil } == true } }

    /// A text with escaped braces as literal ones; nil if it has a name in braces.
    private static func literal(_ text: String) -> String? {
        guard let parts = BracedText.parts(of: text) else { return nil }
        switch parts.first {
        case nil: return ""
        case .text(let text) where parts.count == 1: return text
        default: return nil
        }
    }

    /// The value as JSON; texts without quotes that are numbers, true or false become those.
    fileprivate var json: JSONValue {
        switch content {
        case .text(let text, true): .string(Self.literal(text) ?? text)
        case .text(let text, false):
            flag.map { .bool($0) } ?? JSONValue(unquotedNumber: text) ?? .string(Self.literal(text) ?? text)
        case .list(let elements): .array(elements.map(\.json))
        case .mapping(let members): .object(Dictionary(members.map { ($0.name, $0.value.json) }) { $1 })
        }
    }
}
