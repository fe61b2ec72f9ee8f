extension InputField {
    /// Whether every value of another field is valid for this one.
    package func accepts(every source: InputField) -> Bool {
        switch (source.kind, kind) {
        case (.choice, .choice) where source.takesSeveral && !takesSeveral: false
        case (.integer, .integer), (.integer, .number), (.number, .number), (.boolean, .boolean): true
        case (.choice(let values), .choice(let accepted)): Set(values).isSubset(of: accepted)
        case (.url, .url), (.file, .file): true
        case (.multiline, .text): false
        case (_, .text), (_, .multiline), (_, .secret): true
        default: false
        }
    }

    /// The values of the field, for a mistake.
    package var valueWords: String {
        switch kind {
        case .choice(let values) where takesSeveral: "several of \(values.prefix(6).joined(separator: ", "))"
        case .text: "one line of text"
        case .multiline: "a text of several lines"
        case .url: "a URL"
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "a switch"
        case .choice(let values): "one of \(values.prefix(6).joined(separator: ", "))"
        case .secret: "a secret"
        case .file: "a file"
        }
    }
}
