import WeirStates

/// A value of a JSON answer: its name, and the path to it, such as `result.items.0.name`.
struct DeclaredValue: Sendable, Hashable {
    /// The longest text that is kept of a value, in characters.
    static let limit = 1_000

    let name: String
    let path: [String]

    /// Reads a path; nil for one without names, or with an empty one.
    init?(_ name: String, path: String) {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.name = name
        self.path = parts
    }

    /// The value in an answer; nil where there is none, or none that is a text, a number, or true or false.
    func value(in answer: JSONValue) -> JSONValue? {
        var value = answer
        for part in path {
            let next: JSONValue?
            switch value {
            case .object(let members): next = members[part]
            case .array: next = Int(part).flatMap(value.element(at:))
            default: next = nil
            }
            guard let next else { return nil }
            value = next
        }
        switch value {
        case .string(let text): return .string(String(text.prefix(Self.limit)))
        case .integer, .number, .bool: return value
        case .null, .array, .object: return nil
        }
    }
}

extension [DeclaredValue] {
    /// The values of an answer, and the paths that lead to none.
    func read(from answer: JSONValue) -> (values: [String: JSONValue], missing: [String]) {
        var values: [String: JSONValue] = [:]
        var missing: [String] = []
        for declared in self {
            if let value = declared.value(in: answer) {
                values[declared.name] = value
            } else {
                missing.append(declared.path.joined(separator: "."))
            }
        }
        return (values, missing)
    }
}
