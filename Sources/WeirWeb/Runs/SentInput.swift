import WeirStates

/// The input of a run as it was sent.
struct SentInput: Sendable {
    /// The values as a JSON object, for the board to hold against the fields.
    var input: JSONValue = [:]
    /// What was typed into a form, by field, to be shown again if something is wrong.
    var typed: [String: String] = [:]

    /// Whether nothing was sent.
    var isEmpty: Bool { input == [:] }

    /// The values of an input as a form holds them.
    static func texts(of input: JSONValue) -> [String: String] {
        (input.object ?? [:]).compactMapValues { value in
            switch value {
            case .string(let text): text
            case .integer(let number): String(number)
            case .number(let number): String(number)
            case .bool(let flag): flag ? "true" : "false"
            case .null, .array, .object: nil
            }
        }
    }

    /// The input with a member added.
    func adding(_ name: String, _ value: JSONValue) -> SentInput {
        var result = self
        var members = input.object ?? [:]
        members[name] = value
        result.input = .object(members)
        return result
    }
}
