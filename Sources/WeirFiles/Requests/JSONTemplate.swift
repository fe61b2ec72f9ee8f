import WeirStates

/// A JSON value with places for inputs.
///
/// An input becomes (a part of) exactly one string, whatever it holds. Where it stands alone in a string, it keeps its type,
/// and `null` where it has no value.
indirect enum JSONTemplate: Sendable {
    case fixed(JSONValue)
    case text(TextTemplate)
    case list([JSONTemplate])
    case object([(name: String, value: JSONTemplate)])

    /// The templates of its strings.
    var templates: [TextTemplate] {
        switch self {
        case .fixed: []
        case .text(let template): [template]
        case .list(let elements): elements.flatMap(\.templates)
        case .object(let members): members.flatMap(\.value.templates)
        }
    }

    /// The value with inputs in it.
    func filled(_ input: CommandInput) -> JSONValue {
        switch self {
        case .fixed(let value): return value
        case .text(let template):
            if case .field(let name) = template.parts.first, template.parts.count == 1 {
                return input.values[name] ?? .null
            }
            return .string(template.filled { input.text($0) ?? "" } ?? "")
        case .list(let elements): return .array(elements.map { $0.filled(input) })
        case .object(let members):
            return .object(Dictionary(members.map { ($0.name, $0.value.filled(input)) }) { $1 })
        }
    }
}
