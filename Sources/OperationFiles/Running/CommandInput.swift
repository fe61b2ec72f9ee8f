package import Operations
import States

/// The input of an operation that a file declares: values by field.
package struct CommandInput: OperationInput {
    /// None: each operation has fields of its own.
    package static var fields: [InputField] { [] }
    /// The values of the fields that have one.
    let values: [String: JSONValue]

    init(_ values: [String: JSONValue]) { self.values = values }

    package init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: JSONValue].self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }

    /// The value of a field as a program gets it; nil where there is none.
    func text(_ field: String) -> String? {
        switch values[field] {
        case .string(let text): text.isEmpty ? nil : text
        case .integer(let number): String(number)
        case .number(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        case .bool(let flag): flag ? "true" : "false"
        case .null, .array, .object, nil: nil
        }
    }

    /// Whether a field has a value that is not false.
    func has(_ field: String) -> Bool { text(field).map { $0 != "false" || values[field]?.bool == nil } ?? false }
}
