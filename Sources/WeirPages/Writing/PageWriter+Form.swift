import WeirAccess
import WeirBoards
import WeirOperations
import WeirStates

extension PageWriter {
    func label(of field: InputField, in operation: String) -> String {
        strings.optional("field.\(operation).\(field.name)") ?? field.label
    }

    /// The start form of an operation for `partials/start`, or nil if readers cannot start it here.
    func startForm(_ operation: String, draft: FormDraft?) -> Fields? {
        guard let entry = catalog[operation], entry.isStartable, !isWatched(operation),
            allows(.start, onOperation: operation)
        else {
            return nil
        }
        let formID = "start-\(operation)"
        let names = Set(entry.fields.map(\.name))
        let stray = (draft?.errors ?? []).filter { !names.contains($0.field) }.map { mistake in
            "\(mistake.field): \(strings(mistake.message))"
        }
        let whole = ([draft?.message.map { strings($0) }].compactMap { $0 } + stray).joined(separator: " ")
        let hasFile = self.hasFile(entry.id)
        let marks = ShownMarks(entry.fields)
        return [
            "formID": formID, "action": "\(base)/operations/\(operation)/runs",
            "isDraft": draft != nil,
            "encoding": hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded", "hasFile": hasFile,
            "fields": entry.fields.map { field($0, of: operation, formID: formID, draft: draft, marks) },
            "error": whole.isEmpty ? nil : whole, "presetURL": presetFormURL(entry),
        ]
    }

    /// The start button of a card, which starts the operation at once, or leads to the form if a field is required.
    func cardStart(_ operation: String) -> Fields? {
        guard let entry = catalog[operation], entry.isStartable, !isWatched(operation),
            allows(.start, onOperation: operation)
        else {
            return nil
        }
        let needsForm = InputField.needValues(entry.fields)
        return [
            "formID": "begin-\(operation)", "action": "\(base)/operations/\(operation)/runs",
            "formURL": needsForm ? "\(base)/operations/\(operation)#start" : nil, "hidden": [] as [Fields],
        ]
    }

    func field(
        _ field: InputField, of operation: String, formID: String, draft: FormDraft?,
        _ marks: ShownMarks = ShownMarks([])
    ) -> Fields {
        let controlID = "\(formID)-\(field.name)"
        let error = draft?.errors.first { $0.field == field.name }.map { strings($0.message) }
        let own =
            field.pendingMessage.map { strings($0) } ?? strings.optional("field.\(operation).\(field.name).help")
            ?? field.help
        let remarks = [
            own, field.kept == nil ? nil : strings[.startKept], field.isSecret ? strings[.startSecret] : nil,
        ].compactMap { $0 }
        let help = remarks.isEmpty ? nil : remarks.joined(separator: " ")
        var typed = draft.map { $0.values[field.name] ?? "" } ?? Self.text(of: field.defaultValue)
        if draft?.isRecorded ?? true { typed = localized(typed, in: field) }
        let described = [help.map { _ in "\(controlID)-help" }, error.map { _ in "\(controlID)-error" }]
            .compactMap { $0 }
        var fields: Fields = [
            "name": field.controlName, "controlID": controlID, "label": label(of: field, in: operation),
            // False rather than absent: without its own error, a field must not inherit the error of the form around it.
            "isRequired": field.isRequired, "isConditional": !field.conditions.isEmpty, "needs": marks.needs(field),
            "help": help, "error": error.map { $0 as Any } ?? false, "unit": field.unit,
            "value": typed,
            "describedBy": described.isEmpty ? nil : described.joined(separator: " "),
            "line": nil, "moment": field.format.map { ["type": $0.rawValue] as Fields }, "multiline": nil,
            "number": nil, "boolean": nil, "choice": nil, "choices": nil, "file": nil,
        ]
        switch field.kind {
        case .text where field.format != nil: break
        case .text(let maximumLength, let pattern):
            fields["line"] = Self.line("text", maximumLength: maximumLength, pattern: pattern)
        case .url:
            fields["line"] = Self.line("url", maximumLength: 4_000, pattern: nil)
        case .multiline(let maximumLength):
            fields["multiline"] = ["maximumLength": String(maximumLength)] as Fields
        case .integer(let bounds):
            fields["number"] = Self.number("numeric", isSigned: bounds.lowerBound < 0)
        case .number(let bounds):
            fields["number"] = Self.number("decimal", isSigned: bounds.lowerBound < 0)
        case .boolean:
            fields["boolean"] =
                [
                    "isChecked": typed == "true", "opens": marks.opens(true, of: field),
                    "shuts": marks.opens(false, of: field),
                ] as Fields
        case .choice(let values) where field.takesSeveral:
            let chosen = field.value(fromForm: typed)?.array ?? []
            fields["choices"] =
                [
                    "options": values.enumerated().map { index, value in
                        option(
                            value, of: field, in: operation, isChosen: chosen.contains(.string(value)), marks,
                            optionID: index == 0 ? controlID : "\(controlID)-\(index)")
                    }
                ] as Fields
        case .choice(let values):
            fields["choice"] = choice(
                values, of: field, in: operation, typed: typed, beside: draft?.values ?? [:], marks)
        case .secret(let maximumLength):
            fields["line"] = Self.line("password", maximumLength: maximumLength, pattern: nil)
            // Secrets are never sent back, not even in a form that requests them again.
            fields["value"] = ""
        case .file:
            fields["file"] = true
        }
        return fields
    }

    private func choice(
        _ values: [String], of field: InputField, in operation: String, typed: String, beside others: [String: String],
        _ marks: ShownMarks
    ) -> Fields {
        // A value that occurs in several groups is selected in one.
        let chosen =
            field.groups.firstIndex { group in
                group.values.contains(typed) && group.conditions.allSatisfy { others[$0.field] == $0.value }
            } ?? field.groups.firstIndex { $0.values.contains(typed) }
        let groups = field.groups.enumerated().map { index, group in
            [
                "label": group.conditions.map(\.value).joined(separator: " · "),
                "beside": group.conditions.map { URLText.query($0.field, $0.value) }.joined(separator: "&"),
                "options": group.values.map { value in
                    option(value, of: field, in: operation, isChosen: index == chosen && value == typed, marks)
                },
            ] as Fields
        }
        return [
            "options": groups.isEmpty
                ? values.map { option($0, of: field, in: operation, isChosen: $0 == typed, marks) } : [],
            "groups": groups, "blankOpens": marks.opens(nil, of: field),
            // A value that the user did not choose must not appear selected.
            "blank": field.defaultValue == nil,
            "isAsked": field.alwaysNeedsValue,
        ]
    }

    private func option(
        _ value: String, of field: InputField, in operation: String, isChosen: Bool, _ marks: ShownMarks,
        optionID: String? = nil
    ) -> Fields {
        [
            "optionID": optionID,
            "name": field.controlName, "value": value, "isChosen": isChosen,
            "opens": marks.opens(.string(value), of: field), "shuts": marks.shuts(.string(value), of: field),
            "label": strings.optional("field.\(operation).\(field.name).\(value)") ?? value,
        ]
    }

    private static func line(_ type: String, maximumLength: Int, pattern: String?) -> Fields {
        ["type": type, "maximumLength": String(maximumLength), "pattern": pattern]
    }

    /// A line of text for a number.
    ///
    /// In an input of the type `number`, browsers drop the comma of a language that they do not share, and submit
    /// another number. The keyboards for digits have no minus sign.
    private static func number(_ keyboard: String, isSigned: Bool) -> Fields {
        ["inputMode": isSigned ? "text" : keyboard]
    }

    static func text(of value: JSONValue?) -> String { value?.formText ?? "" }

    /// The text of a recorded value as a form of the reader's language has it.
    func localized(_ text: String, in field: InputField) -> String {
        if case .number = field.kind { text.replacing(".", with: format.decimal) } else { text }
    }
}
