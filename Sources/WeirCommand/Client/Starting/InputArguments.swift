/// The input of a run as it is given on the command line: `name=value`, `name=@file`, `name=@-` for standard input, and
/// `name=@@value` for a value that begins with `@`.
///
/// Pure.
package struct InputArguments: Sendable, Hashable {
    /// Where a value comes from.
    package enum Source: Sendable, Hashable {
        case text(String)
        case file(String)
        case standardInput
    }

    /// In the order in which they were given.
    package let fields: [Field]

    package struct Field: Sendable, Hashable {
        package let name: String
        package let source: Source
    }

    /// Reads the words of a command line.
    package init(_ words: [String]) throws(ClientError) {
        var fields: [Field] = []
        for word in words {
            guard let equals = word.firstIndex(of: "="), equals > word.startIndex else {
                throw ClientError(
                    .refused, "“\(VisibleText.line(word))” is no input. Write name=value, such as database=orders.")
            }
            let name = String(word[..<equals])
            guard !fields.contains(where: { $0.name == name }) else {
                throw ClientError(.refused, "“\(VisibleText.line(name))” is given twice. Give each input once.")
            }
            fields.append(Field(name: name, source: Self.source(word[word.index(after: equals)...])))
        }
        self.fields = fields
    }

    private static func source(_ value: Substring) -> Source {
        if value == "@-" { return .standardInput }
        if value.hasPrefix("@@") { return .text(String(value.dropFirst())) }
        if value.hasPrefix("@") { return .file(String(value.dropFirst())) }
        return .text(String(value))
    }

    /// Refuses a name that the operation has no field of, with the names that it has.
    func check(against known: [String]) throws(ClientError) {
        guard let stranger = fields.first(where: { !known.contains($0.name) }) else { return }
        let list = known.isEmpty ? "It takes no input." : "Its fields are \(known.joined(separator: ", "))."
        throw ClientError(.refused, "The operation has no field “\(VisibleText.line(stranger.name))”. \(list)")
    }
}
