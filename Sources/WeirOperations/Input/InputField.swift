package import WeirFlows
public import WeirStates

/// A field of an operation's input: its name, the values it accepts, and its presentation in a form.
public struct InputField: Sendable, Hashable, Codable {
    /// The values a field accepts.
    public enum Kind: Sendable, Hashable, Codable {
        /// One line of text with a maximum length, matching an ECMAScript regular expression as a whole.
        ///
        /// PCRE2 matches the pattern in bounded time; texts that take longer are refused.
        case text(maximumLength: Int = 1_000, pattern: String? = nil)
        /// Several lines of text with a maximum length in characters.
        case multiline(maximumLength: Int = 100_000)
        /// An absolute URL with one of the schemes.
        case url(schemes: [String] = ["http", "https"])
        /// An integer within the bounds.
        case integer(ClosedRange<Int64>)
        /// A number within the bounds.
        case number(ClosedRange<Double>)
        /// A boolean.
        case boolean
        /// One of the values.
        case choice([String])
        /// A confidential text with a maximum length, such as a password or a key.
        ///
        /// It is kept in memory during the run only; a retry asks for it again.
        case secret(maximumLength: Int = 10_000)
        /// A file, uploaded with the request that starts the run.
        case file
    }

    /// The coding key of the value in the input.
    package let name: String
    /// The label in English; the string `field.<operation>.<name>` overrides it in a locale.
    package let label: String
    package let kind: Kind
    package private(set) var isRequired: Bool
    /// The value used if none is given.
    package private(set) var defaultValue: JSONValue?
    /// A sentence shown beside the field, in English; `field.<operation>.<name>.help` overrides it.
    package let help: String?
    /// The unit shown after the value, such as `s`.
    package let unit: String?
    /// The choice's values that depend on other choices; empty if all are always valid.
    package var groups: [ChoiceGroup] = []
    /// Whether the values of a choice are still loading, so that no value can be validated.
    package var isPending = false
    /// Whether a choice accepts any text, because another server checks it.
    private(set) var acceptsAnyChoice = false
    /// Whether the value is a list of several values of the choice.
    package var takesSeveral = false
    /// The conditions on earlier fields without which the field is not shown and has no value.
    package var conditions: [InputCondition] = []
    /// The digits of the bounds of a number field that a `Double` may not hold; nil for those of the kind.
    package var exactBounds: ExactBounds?
    /// The form of a text field for which browsers have a control; nil for any text.
    package var format: TextFormat?
    /// The name of the server's stored secret that is the default of a secret field; nil for none.
    package var kept: String?
    let pattern = FieldPattern()

    private enum CodingKeys: String, CodingKey {
        case name, label, kind, isRequired, defaultValue, help, unit, groups, takesSeveral, conditions, format, kept
    }

    /// Creates a field.
    public init(
        _ name: String, _ label: String, _ kind: Kind, required: Bool = false, default defaultValue: JSONValue? = nil,
        help: String? = nil, unit: String? = nil
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.isRequired = required
        self.defaultValue = defaultValue
        self.help = help
        self.unit = unit
    }
}

extension InputField {
    /// The field of a part of the input, in which it can be absent because it was not shown.
    package var optional: InputField {
        var field = self
        (field.isRequired, field.defaultValue, field.conditions) = (false, nil, [])
        return field
    }
}

/// A form of texts that browsers have a control for.
package enum TextFormat: String, Sendable, Hashable, Codable {
    /// A day of the calendar, such as `2026-11-27`.
    case date
    /// A time of the day, such as `03:30` or `03:30:15`.
    case time

    func accepts(_ text: String) -> Bool {
        switch self {
        case .date:
            guard let match = text.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})/),
                let year = Int(match.1), let month = Int(match.2), let day = Int(match.3)
            else { return false }
            guard (1...12).contains(month) else { return false }
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            return (1...days[month - 1]).contains(day)  // Never traps: the month is from 1 to 12.
        case .time: return text.wholeMatch(of: /([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?/) != nil
        }
    }
}

/// The bounds of a number, each nil for none.
package struct ExactBounds: Sendable, Hashable {
    let least: JSONNumber?
    let most: JSONNumber?

    package init(least: JSONNumber?, most: JSONNumber?) { (self.least, self.most) = (least, most) }

    init(_ range: ClosedRange<Double>) {
        least = range.lowerBound.isFinite ? JSONNumber(range.lowerBound) : nil
        most = range.upperBound.isFinite ? JSONNumber(range.upperBound) : nil
    }

    func contains(_ number: JSONNumber) -> Bool {
        !(least.map(number.isLess(than:)) ?? false) && !(most?.isLess(than: number) ?? false)
    }
}

/// Values of a choice that are valid only with certain values of other fields, such as the tables of one database.
package struct ChoiceGroup: Sendable, Hashable, Codable {
    package struct Condition: Sendable, Hashable, Codable {
        package let field: String
        package let value: String

        package init(field: String, value: String) {
            self.field = field
            self.value = value
        }
    }

    /// The required values of other fields; empty if the values are always valid.
    package let conditions: [Condition]
    package let values: [String]

    package init(_ values: [String], beside conditions: [Condition] = []) {
        self.values = values
        self.conditions = conditions
    }
}

extension InputField {
    /// The fields that the valid values depend on.
    var conditionFields: Set<String> { Set(groups.flatMap { $0.conditions.map(\.field) }) }

    /// Validates a choice against the other values of an input whose own value is valid; nil if it fits.
    func mistake(beside input: [String: JSONValue]) -> InputMistake? {
        guard !groups.isEmpty, let value = input[name]?.string else { return nil }
        let fitting = groups.filter { group in
            group.conditions.allSatisfy { input[$0.field]?.string == $0.value }
        }
        let values = fitting.flatMap(\.values)
        if values.contains(value) { return nil }
        return InputMistake(
            field: name,
            message: values.isEmpty
                ? Message(InputWording.choiceNone, ["fields": .all(conditionFields.sorted().map { "“\($0)”" })])
                : Message(
                    InputWording.choiceNot,
                    ["values": .either(values.map { "“\($0)”" }), "given": "“\(Self.shortened(value))”"]))
    }
}

/// The pattern of a field, compiled on first use.
///
/// All instances are equal, so that it does not affect the comparison of fields.
final class FieldPattern: Sendable, Hashable {
    private let compiled = Locked<Result<TextPattern, TextPattern.Mistake>?>(nil)

    /// Returns the compiled pattern; every call must pass the same text.
    func pattern(of text: String) throws(TextPattern.Mistake) -> TextPattern {
        try compiled.withLock { compiled in
            let result = compiled ?? Self.compile(text)
            compiled = result
            return result
        }.get()
    }

    private static func compile(_ text: String) -> Result<TextPattern, TextPattern.Mistake> {
        do throws(TextPattern.Mistake) {
            return .success(try TextPattern(text, for: .input))
        } catch {
            return .failure(error)
        }
    }

    static func == (one: FieldPattern, other: FieldPattern) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

/// The input of a run: a Codable value and the form fields that describe it.
///
/// The HTML form, the JSON Schema and the validation all derive from the fields.
public protocol OperationInput: Codable, Sendable {
    /// The fields in form order, each named as its coding key.
    static var fields: [InputField] { get }
}

/// The input of an operation without parameters.
public struct NoInput: FormInput, Hashable {
    /// No fields.
    public static var fields: [InputField] { [] }
    /// Creates the input.
    public init() {}
}

extension InputField {
    /// Whether the value is confidential: kept in memory during the run, and never recorded, shown, exported or reused.
    package var isSecret: Bool {
        if case .secret = kind { true } else { false }
    }

    /// The field as a server validates it that does not execute the run: any choice is valid; nil for a secret.
    package var elsewhere: InputField? {
        if isSecret { return nil }
        var field = self
        (field.acceptsAnyChoice, field.isPending, field.groups) = (true, false, [])
        return field
    }
}

extension InputField {
    /// Validates an input, on the pool if it has values for fields with patterns.
    ///
    /// Suspends until the pool has run it.
    ///
    /// - Throws: `InputMistakes`, or an error of `WorkPool.run`.
    package static func validate(
        _ input: JSONValue, fields: [InputField], in pool: WorkPool
    ) async throws -> JSONValue {
        let hasPatterns = fields.contains { field in
            guard case .text(_, .some) = field.kind else { return false }
            return input[field.name] != nil
        }
        guard hasPatterns else { return try validate(input, fields: fields) }
        return try await pool.run { try validate(input, fields: fields) }
    }

    /// Validates an input against the fields.
    ///
    /// Takes linear time, plus at most 50 ms for all patterns. `null` counts as absent, and so does empty text in a required
    /// field. The value of a field that is not shown is left out.
    ///
    /// - Parameters:
    ///   - input: The JSON object sent by a client.
    ///   - fields: The fields.
    /// - Returns: The object with defaults, normalized values and known members only.
    /// - Throws: All mistakes, those of known fields first.
    package static func validate(_ input: JSONValue, fields: [InputField]) throws(InputMistakes) -> JSONValue {
        guard case .object(let members) = input else {
            let message =
                fields.isEmpty
                ? Message(InputWording.emptyObject, ["given": kind(of: input)])
                : Message(InputWording.object, ["members": .all(fields.map(\.name)), "given": kind(of: input)])
            throw InputMistakes([InputMistake(field: "", message: message)])
        }
        var normalised: [String: JSONValue] = [:]
        var mistakes: [InputMistake] = []
        var time = TextPattern.Extent.input.time
        for field in fields where field.isShown(beside: normalised) {
            do {
                normalised[field.name] = try field.validate(members[field.name], within: &time)
            } catch {
                mistakes.append(InputMistake(field: field.name, message: error.message))
            }
        }
        let wrong = Set(mistakes.map(\.field))
        // Dependencies on an invalid field cannot be checked.
        mistakes += fields.lazy.filter { !wrong.contains($0.name) && wrong.isDisjoint(with: $0.conditionFields) }
            .compactMap { $0.mistake(beside: normalised) }
        mistakes += unknownMembers(of: members, fields: fields)
        guard mistakes.isEmpty else { throw InputMistakes(mistakes) }
        return .object(normalised)
    }

    private func validate(_ value: JSONValue?, within time: inout Duration) throws(InputRejection) -> JSONValue? {
        if isRequired, value == [] { throw InputRejection(.required, ["expectation": .message(expectation)]) }
        guard let value, value != .null, !(isRequired && isText && value == "") else {
            if let defaultValue { return isPending ? try check(defaultValue, within: &time) : defaultValue }
            if isRequired, isPending { throw InputRejection(.choicePending) }
            if isRequired { throw InputRejection(.required, ["expectation": .message(expectation)]) }
            return nil
        }
        return try check(value, within: &time)
    }

    private var isText: Bool {
        switch kind {
        case .text, .multiline, .url, .choice, .secret: true
        case .integer, .number, .boolean, .file: false
        }
    }

    /// Reports unknown members, at most twenty so that hostile input does not cause a long response.
    private static func unknownMembers(of members: [String: JSONValue], fields: [InputField]) -> [InputMistake] {
        let known = Set(fields.map(\.name))
        guard members.count > known.count || !known.isSuperset(of: members.keys) else { return [] }
        let remedy =
            fields.isEmpty
            ? Message(InputWording.noFields)
            : Message(InputWording.unknownField, ["fields": .all(fields.map(\.name))])
        return members.keys.lazy.filter { !known.contains($0) }.prefix(20).map { String($0.prefix(64)) }.sorted()
            .map { InputMistake(field: $0, message: remedy) }
    }

    package static func kind(of value: JSONValue) -> Message.Value {
        switch value {
        case .null: "null"
        case .bool: .message(Message(InputWording.aBoolean))
        case .integer, .number: .message(Message(InputWording.aNumber))
        case .string: .message(Message(InputWording.aText))
        case .array: .message(Message(InputWording.aList))
        case .object: .message(Message(InputWording.anObject))
        }
    }
}

extension InputField {
    /// Validates the declarations of fields; returns sentences for their author, or none.
    ///
    /// The fields of a step can have names such as `item.name`, because no form and no request names them.
    package static func problems(in fields: [InputField], isStep: Bool = false) -> [String] {
        var names: Set<String> = []
        var time = TextPattern.Extent.input.time
        return fields.flatMap { field -> [String] in
            var problems = names.insert(field.name).inserted ? [] : ["The field \(field.name) is declared twice."]
            if field.name.isEmpty {
                problems.append(
                    "The field labelled “\(field.label)” has no name: its input must encode the property as one member "
                        + "of its own.")
            } else if !field.name.utf8.allSatisfy({ isNameByte($0) || isStep && ".-".utf8.contains($0) }) {
                problems.append("The field name “\(field.name)” must be made of letters, digits and underscores.")
            }
            if case .text(_, let pattern?) = field.kind {
                do throws(TextPattern.Mistake) {
                    _ = try field.pattern.pattern(of: pattern)
                } catch {
                    problems.append("The pattern of the field \(field.name) cannot be used. \(error.sentence)")
                }
            }
            if field.isSecret, field.defaultValue != nil {
                problems.append(
                    "The field \(field.name) is secret, so it can have no default, which everybody would see.")
            } else if let value = field.defaultValue {
                do throws(InputRejection) {
                    _ = try field.check(value, within: &time)
                } catch {
                    problems.append("The default of the field \(field.name) does not fit it: \(error.message)")
                }
            }
            return problems
        }
    }

    /// Separates a valid input into its recordable members and its secrets.
    package static func parting(
        _ input: JSONValue, fields: [InputField]
    ) -> (recorded: JSONValue, secrets: [String: JSONValue]) {
        let names = Set(fields.filter(\.isSecret).map(\.name))
        guard !names.isEmpty, case .object(let members) = input else { return (input, [:]) }
        return (.object(members.filter { !names.contains($0.key) }), members.filter { names.contains($0.key) })
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
