import WeirStates

/// Turns a recorded payload into what templates see of it.
struct PayloadValues {
    let format: LocaleFormat
    let strings: StringTable
    let operation: String
    /// What can be done with a part of a store's state, by the part's `id`: a template finds all of it as `{{{acts}}}`,
    /// the first as `{{{act}}}` and the others as `{{{moreActs}}}`; nil if the payload is no store's.
    var acts: [String: [TrustedHTML]]?
    /// The part of the state of which an action was filled in wrongly.
    var mistaken: String?

    /// The value of a template's variable; nil for `null`, which is as if it were not there.
    func value(_ json: JSONValue) -> Any? {
        switch json {
        case .null: nil
        case .bool(let flag): flag
        case .integer(let number): NumberValue(value: Double(number), format: format)
        case .number(let number): NumberValue(value: number, format: format)
        case .string(let text): TextValue(text, values: self)
        case .array(let elements): ListValue(json: elements, values: self)
        case .object(let members): ObjectValue(json: members, values: self)
        }
    }

    /// A payload: its members, or what is no object as the one member `value`.
    func payload(_ json: JSONValue) -> ObjectValue {
        ObjectValue(json: json.object ?? (json == .null ? [:] : ["value": json]), values: self)
    }

    /// What a part of a state is called by the actions that belong to it.
    func id(_ json: JSONValue) -> String { json.string ?? json.integer.map { String($0) } ?? "" }

    /// Any value in one line of words.
    func text(_ json: JSONValue) -> String {
        switch json {
        case .null: ""
        case .bool(let flag): strings[flag ? .yes : .no]
        case .integer(let number): format.number(Double(number))
        case .number(let number): format.number(number)
        case .string(let text): text
        case .array, .object: Self.compact(json)
        }
    }

    /// The row below a list that says how many members are left out; none if all are listed.
    func more(_ count: Int) -> [Fields] {
        count > 0 ? [["label": "\u{2026}", "text": "+" + format.integer(Int64(clamping: count))]] : []
    }

    /// The name of a member for people: a string, the label of the input field so named, or the name taken apart.
    func label(_ name: String) -> String {
        strings.optional("field.\(operation).\(name)") ?? strings.optional("member.\(name)") ?? Humanized(name).text
    }

    /// The name of a case for people: a string, or the name taken apart.
    func caseLabel(_ name: String) -> String {
        strings.optional("case.\(operation).\(name)") ?? strings.optional("case.\(name)") ?? Humanized(name).text
    }

    private static func compact(_ json: JSONValue) -> String {
        do {
            return try json.text()
        } catch {
            return "\u{FFFD}"
        }
    }
}
