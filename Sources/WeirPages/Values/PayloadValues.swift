import Foundation
import Mustache
import WeirJournals
import WeirStates

/// Converts recorded payloads into values for templates.
struct PayloadValues {
    let format: LocaleFormat
    let strings: StringTable
    let operation: String
    /// The actions on the parts of a store's state, by the part's `id`; nil if the payload is not that of a store.
    ///
    /// A template can name all of a part's actions as `{{{acts}}}`, the first as `{{{act}}}` and the others as
    /// `{{{moreActs}}}`.
    var acts: [String: [TrustedHTML]]?
    /// The part of the state for which an action's form has a mistake.
    var mistaken: String?

    /// The value of a template's variable, or nil for `null`, which counts as absent.
    func value(_ json: JSONValue) -> Any? {
        switch json {
        case .null: nil
        case .bool(let flag): flag
        case .integer(let number): NumberValue(digits: String(number), value: Double(number), format: format)
        case .number(let number): NumberValue(digits: String(number), value: number.value, format: format)
        case .string(let text): TextValue(text, values: self)
        case .array(let elements): ListValue(json: elements, values: self)
        case .object(let members): ObjectValue(json: members, values: self)
        }
    }

    /// A payload's members, or the member `value` if the payload is not an object.
    func payload(_ json: JSONValue) -> ObjectValue {
        ObjectValue(json: json.object ?? (json == .null ? [:] : ["value": json]), values: self)
    }

    /// The id of a part of a state, to which actions refer.
    func id(_ json: JSONValue) -> String { json.string ?? json.integer.map { String($0) } ?? "" }

    /// A value as text; numbers with the digits that they were given with, in every language.
    func text(_ json: JSONValue) -> String {
        switch json {
        case .null: ""
        case .bool(let flag): strings[flag ? .yes : .no]
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .string(let text): text
        case .array, .object: Self.compact(json)
        }
    }

    /// The row below a list that counts the omitted members; empty if there are none.
    func more(_ count: Int) -> [Fields] {
        count > 0 ? [["label": "\u{2026}", "text": "+" + format.integer(Int64(clamping: count))]] : []
    }

    /// The label of a member: a string, the label of the input field of that name, or the humanized name.
    func label(_ name: String) -> String {
        strings.optional("field.\(operation).\(name)") ?? strings.optional("member.\(name)") ?? Humanized(name).text
    }

    /// The label of a case: a string, or the humanized name.
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

/// A payload's object in a template: its members by name, or all of them as a list of names and texts.
struct ObjectValue: MustacheParent, MustacheTransformable {
    let json: [String: JSONValue]
    let values: PayloadValues

    func child(named name: String) -> Any? {
        if let act = acts[name] { return act }
        if name == "hasMistake", hasMistake { return true }
        return json[name].flatMap(values.value)
    }

    /// The actions on this part of a store's state, by the names that templates use.
    var acts: [String: TrustedHTML] {
        guard let places = values.acts, json["acts"] == nil, let id = json["id"] else { return [:] }
        guard let acts = places[values.id(id)], let first = acts.first else { return [:] }
        var named = ["acts": TrustedHTML(acts), "act": first]
        if acts.count > 1 { named["moreActs"] = TrustedHTML(acts.dropFirst()) }
        return named
    }

    /// Whether the form of one of this part's actions has a mistake, so that it must be visible.
    var hasMistake: Bool { values.mistaken != nil && values.mistaken == json["id"].map(values.id) }

    func transform(_ name: String) -> Any? { name == "members" ? rows : nil }

    /// The maximum number of listed members of a state or input.
    static let rowLimit = 500

    /// The members in order, as text, for templates that do not know them.
    private var rows: [Fields] {
        let members = json.filter { $0.value != .null }.sorted { $0.key < $1.key }
        let rows = members.prefix(Self.rowLimit).enumerated().map { index, member -> Fields in
            let (name, value) = member
            return ["memberID": "m\(index)", "name": name, "label": values.label(name), "text": values.text(value)]
        }
        return rows
            + values.more(members.count - rows.count).map { (["memberID": "more", "name": ""] as Fields).merging($0) }
    }

    static let transforms: Set<String> = ["members"]
}

/// A payload's text in a template.
struct TextValue: MustacheParent, MustacheCustomRenderable, MustacheTransformable {
    let text: String
    let values: PayloadValues

    init(_ dirty: String, values: PayloadValues) {
        text = CleanText(dirty).text
        self.values = values
    }

    var renderText: String { text }
    var isNull: Bool { false }

    func child(named name: String) -> Any? { nil }

    func transform(_ name: String) -> Any? {
        switch name {
        case "time": Timestamp(text).map { MomentValue(moment: $0, format: values.format) }
        case "case": CleanText(values.caseLabel(text)).text
        case "said": CleanText(values.strings.said(recorded: text)).text
        case "empty": text.isEmpty
        default: nil
        }
    }

    static let transforms: Set<String> = ["time", "case", "said", "empty"]
}

/// A payload's number in a template: with the digits that it was given with, or formatted as a quantity by a transform.
struct NumberValue: MustacheParent, MustacheCustomRenderable, MustacheTransformable {
    let digits: String
    let value: Double
    let format: LocaleFormat

    var renderText: String { digits }
    var isNull: Bool { false }

    func child(named name: String) -> Any? { nil }

    func transform(_ name: String) -> Any? {
        switch name {
        case "grouped": Int64(digits).map(format.integer) ?? format.number(value)
        case "bytes": format.bytes(value)
        case "rate": format.bytes(value) + "/s"
        case "seconds": format.duration(Self.milliseconds(value * 1_000))
        case "milliseconds": format.duration(Self.milliseconds(value))
        case "percent": format.number(value, decimals: 0) + "\u{A0}%"
        case "fixed1": format.number(value, decimals: 1)
        case "fixed2": format.number(value, decimals: 2)
        case "fixed4": format.number(value, decimals: 4)
        case "plain": Self.plain(value)
        case "float": String(format: "%f", value)
        default: nil
        }
    }

    /// The number for an attribute: a decimal point, no groups, at most three decimals.
    static func plain(_ value: Double) -> String {
        guard value.magnitude < 1e12 else { return "0" }
        let rounded = (value * 1_000).rounded() / 1_000
        return rounded == rounded.rounded() ? String(Int64(clamping: rounded)) : String(rounded)
    }

    private static func milliseconds(_ value: Double) -> Int64 { Int64(clamping: min(max(value, 0), 9e15)) }

    static let transforms: Set<String> = [
        "grouped", "bytes", "rate", "seconds", "milliseconds", "percent", "fixed1", "fixed2", "fixed4", "plain",
        "float",
    ]
}

/// A moment in a template; `partials/time` and `partials/since` render it as `<time>`.
struct MomentValue: MustacheParent, MustacheCustomRenderable {
    let moment: Timestamp
    let format: LocaleFormat

    func child(named name: String) -> Any? {
        switch name {
        case "iso": CivilTime(moment).iso
        case "exact": format.exact(moment)
        case "clock": CivilTime(moment).clock
        case "ago": format.ago(moment)
        case "elapsed": format.elapsed(since: moment)
        default: nil
        }
    }

    var renderText: String { format.exact(moment) }
    var isNull: Bool { false }

    static let names: Set<String> = ["iso", "exact", "clock", "ago", "elapsed"]
}
