package import WeirFlows
package import WeirStates

extension InputField {
    /// Holds an input against the fields, in the pool if it has values for fields with patterns.
    ///
    /// Suspends until a thread of the pool has done so.
    ///
    /// - Throws: The mistakes, and what `WorkPool.run` throws.
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

    /// Holds an input against the fields: the input as a run is started with, or all that is wrong with it.
    ///
    /// Takes a time that grows with the input's length only, and 50 ms at most for all patterns of its fields. `null` counts
    /// as absent, and so does empty text where a field is required.
    /// - Parameters:
    ///   - input: A JSON object, as a client sent it.
    ///   - fields: What is accepted.
    /// - Returns: The object with defaults filled in, whole numbers as such, lines ended by `\n`, and only known members.
    /// - Throws: The mistakes, those of known fields first.
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
        for field in fields {
            do {
                normalised[field.name] = try field.validate(members[field.name], within: &time)
            } catch {
                mistakes.append(InputMistake(field: field.name, message: error.message))
            }
        }
        let wrong = Set(mistakes.map(\.field))
        // Beside a field with a mistake of its own nothing can be said.
        mistakes += fields.lazy.filter { !wrong.contains($0.name) && wrong.isDisjoint(with: $0.conditionFields) }
            .compactMap { $0.mistake(beside: normalised) }
        mistakes += unknownMembers(of: members, fields: fields)
        guard mistakes.isEmpty else { throw InputMistakes(mistakes) }
        return .object(normalised)
    }

    /// Holds one value against the field.
    private func validate(_ value: JSONValue?, within time: inout Duration) throws(InputRejection) -> JSONValue? {
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

    /// At most twenty mistakes about members that no field has: a hostile input must not make a long answer.
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

    static func kind(of value: JSONValue) -> Message.Value {
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
