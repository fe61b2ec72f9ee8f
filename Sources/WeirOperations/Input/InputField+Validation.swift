package import WeirFlows
package import WeirStates

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
