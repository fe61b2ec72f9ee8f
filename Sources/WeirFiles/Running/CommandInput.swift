package import WeirOperations
import WeirStates

/// The input of an operation that a file declares: values by field.
package struct CommandInput: OperationInput {
    /// None: each operation has fields of its own.
    package static var fields: [InputField] { [] }
    /// The values of the fields that have one.
    private(set) var values: [String: JSONValue]
    /// The bytes of its file; nil where only the journal's words are left.
    private let content: (any FileContent)?

    init(_ values: [String: JSONValue], content: (any FileContent)? = nil) {
        self.values = values
        self.content = content
    }

    package init(from decoder: any Decoder) throws {
        values = try decoder.singleValueContainer().decode([String: JSONValue].self)
        content = decoder.userInfo[.fileContent] as? any FileContent
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
        // A file, by its name.
        case .object(let members): members["filename"]?.string
        case .null, .array, nil: nil
        }
    }

    /// The file in a field; nil where there is none.
    func file(_ field: String) throws -> FileInput? {
        guard let value = values[field], value.object != nil else { return nil }
        let file = try value.decode(FileInput.self)
        return FileInput(
            id: file.id, filename: file.filename, length: file.length, contentType: file.contentType, content: content)
    }

    /// The same with the path at which a program finds the file.
    func with(_ file: ReceivedFile, in field: String) -> CommandInput {
        var input = self
        input.values[field] = .string(file.path)
        return input
    }

    /// Whether a field has a value that is not false.
    func has(_ field: String) -> Bool { text(field).map { $0 != "false" || values[field]?.bool == nil } ?? false }
}
