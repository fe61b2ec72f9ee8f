import WeirBoards
import WeirOperations
import WeirStates

struct DeclaredInput {
    var field: InputField
    let label: LocalizedText?
    let help: LocalizedText?
    let place: FileValue
}

extension DefinitionReader {
    mutating func inputs(_ value: FileValue?) -> [DeclaredInput] {
        var inputs: [DeclaredInput] = []
        var variables: [String: String] = [:]
        for element in value?.list ?? [] {
            guard var input = input(element) else { continue }
            input.field.conditions = conditions(element["if"], inputs)
            let name = input.field.name
            if let other = variables.updateValue(name, forKey: Self.variable(for: name)) {
                list.note(
                    element["name"] ?? element,
                    other == name
                        ? "The input “\(name)” is declared twice. Rename one."
                        : "The inputs “\(other)” and “\(name)” have the same variable in a shell. Rename one.")
                continue
            }
            if input.field.kind == .file, inputs.contains(where: { $0.field.kind == .file }) {
                list.note(element["type"] ?? element, "An operation takes one file. Remove the other input.")
                continue
            }
            inputs.append(input)
        }
        return inputs
    }

    private mutating func input(_ value: FileValue) -> DeclaredInput? {
        guard let name = value["name"]?.text, Shape.isName(name, limit: 40) else { return nil }
        if name.contains("-") {
            list.note(value["name"] ?? value, "The input “\(name)” must be named with underscores instead of hyphens.")
        }
        if value["type"] != nil, value["type"]?.text.flatMap(InputKind.init) == nil { return nil }
        let type = value["type"]?.text.flatMap(InputKind.init) ?? (value["options"] == nil ? .text : .choice)
        guard let kind = kind(type, value) else { return nil }
        checkMembers(value, type)
        checkPlain(value["label"])
        checkPlain(value["help"])
        let label = LocalizedText(value["label"])
        let help = LocalizedText(value["help"])
        let standard = type == .file ? nil : value["default"].flatMap { Self.standard($0, kind, type) }
        let kept = type == .secret ? value["kept"]?.text : nil
        var field = InputField(
            name, label?.text ?? Self.words(name), kind, required: value["required"]?.flag == true && kept == nil,
            default: standard, help: help?.text, unit: value["unit"]?.text)
        (field.kept, field.format) = (kept, TextFormat(rawValue: type.rawValue))
        field.takesSeveral = type == .choices
        if case .number = kind {
            field.exactBounds = ExactBounds(least: value["min"]?.exactNumber, most: value["max"]?.exactNumber)
        }
        if let given = value["default"], let standard {
            do throws(InputMistakes) {
                _ = try InputField.validate(.object([name: standard]), fields: [field])
            } catch {
                list.note(given, "`default` does not fit the input. \(error.mistakes.first?.detail ?? "")")
            }
        }
        return DeclaredInput(field: field, label: label, help: help, place: value)
    }

    private mutating func kind(_ type: InputKind, _ value: FileValue) -> InputField.Kind? {
        let limit = value["max_length"]?.integer.map { Int(clamping: $0) }
        switch type {
        case .text:
            guard let pattern = value["pattern"] else { return .text(maximumLength: limit ?? 1_000, pattern: nil) }
            return self.pattern(pattern, for: .input).map { .text(maximumLength: limit ?? 1_000, pattern: $0.text) }
        case .multiline: return .multiline(maximumLength: limit ?? 100_000)
        case .date, .time: return .text(maximumLength: 10)
        case .url: return .url()
        case .secret: return .secret(maximumLength: limit ?? 10_000)
        case .file: return .file
        case .switch: return .boolean
        case .integer:
            guard let low = bound(value["min"], .up, else: .min), let high = bound(value["max"], .down, else: .max)
            else { return nil }
            guard low <= high else {
                list.note(value["max"] ?? value, "`min` must not be larger than `max`.")
                return nil
            }
            return .integer(low...high)
        case .number:
            let (low, high) = (value["min"]?.number ?? -.infinity, value["max"]?.number ?? .infinity)
            guard low <= high else {
                list.note(value["max"] ?? value, "`min` must not be larger than `max`.")
                return nil
            }
            return .number(low...high)
        // The values that a program lists are set later, by `OperationDefinition.with(choices:)`.
        case .choice where value["options"]?.members != nil, .choices where value["options"]?.members != nil:
            return .text(maximumLength: ChoiceCommand.length)
        case .choice, .choices:
            let options = value["options"]?.list?.compactMap(\.text) ?? []
            guard !options.isEmpty else {
                list.note(value, "A choice needs `options`, such as [small, large].")
                return nil
            }
            if type == .choices, let option = value["options"]?.list?.first(where: { $0.text?.contains(",") == true }) {
                list.note(option, "A comma separates the values of `choices`. Remove it from “\(option.text ?? "")”.")
            }
            if Set(options).count < options.count {
                list.note(value["options"] ?? value, "`options` has the same value twice.")
            }
            return .choice(options)
        }
    }

    /// A bound for integers, or nil with a mistake if no integer satisfies it.
    private mutating func bound(
        _ value: FileValue?, _ rule: FloatingPointRoundingRule, else none: Int64
    ) -> Int64? {
        guard let value, let number = value.number else { return none }
        if let bound = value.integer ?? Int64(exactly: number.rounded(rule)) { return bound }
        list.note(
            value, "The bound of a whole number goes from \(Int64.min) to \(Int64.max). Correct it, or leave it out.")
        return nil
    }

    /// Reports members that have no meaning for this type of input.
    private mutating func checkMembers(_ value: FileValue, _ type: InputKind) {
        let fitting: [String: [InputKind]] = [
            "options": [.choice, .choices], "pattern": [.text], "max_length": [.text, .multiline, .secret],
            "kept": [.secret], "min": [.integer, .number], "max": [.integer, .number], "unit": [.integer, .number],
        ]
        for member in value.members ?? [] {
            guard let types = fitting[member.name], !types.contains(type) else { continue }
            let names = types.map { "`\($0.rawValue)`" }.joined(separator: " or ")
            list.note(
                member.place,
                "`\(member.name)` belongs to an input of the type \(names). Remove it, or change the type.")
        }
        if type == .secret, let standard = value["default"] {
            list.note(standard, "A secret cannot have a `default`, which everybody who reads the file would know.")
        }
        if type == .file, let standard = value["default"] {
            list.note(
                standard, "A file cannot have a `default`. Let the program use a file of its own if there is none.")
        }
    }

    /// Reports a file input if no program receives the file.
    mutating func checkFile(
        _ inputs: [DeclaredInput], _ program: OperationDefinition.Program?, _ triggers: [TriggerRule]
    ) {
        guard let file = inputs.first(where: { $0.field.kind == .file }) else { return }
        switch program {
        case .command, .shell, nil: break
        case .elsewhere, .request, .feed, .steps:
            list.note(
                file.place["type"] ?? file.place,
                "Only a program, as `command` or `shell`, is given a file. Change the type of the input.")
        }
        if file.field.isRequired, !triggers.isEmpty {
            list.note(
                file.place["required"] ?? file.place,
                "A trigger brings no file, so this operation could not be started by one. Remove `required` or the "
                    + "triggers.")
        }
    }

    private static func standard(_ value: FileValue, _ kind: InputField.Kind, _ type: InputKind) -> JSONValue? {
        if type == .choices || value.list != nil {
            return .array((value.list ?? [value]).compactMap { $0.text.map(JSONValue.string) })
        }
        guard let text = value.text else { return nil }
        switch kind {
        case .boolean: return value.flag.map { .bool($0) } ?? .string(text)
        case .integer: return JSONValue(number: text).map { $0.integer.map(JSONValue.integer) ?? $0 } ?? .string(text)
        case .number: return JSONValue(number: text) ?? .string(text)
        case .text, .multiline, .url, .choice, .secret, .file: return .string(text)
        }
    }

    /// Converts a name into words: `table_name` is `Table name`.
    private static func words(_ name: String) -> String {
        let words = name.split { $0 == "_" || $0 == "-" }.joined(separator: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
