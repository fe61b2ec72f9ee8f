import WeirOperations

extension StepValue {
    /// Reads a text: `{{input}}` and `{{steps.name.value}}` stand for values.
    ///
    /// Throws the sentence that says what is wrong with its braces.
    init(_ text: String) throws(TextTemplate.Mistake) {
        var parts: [Part] = []
        var rest = Substring(text)
        while let open = rest.firstRange(of: "{{") {
            if open.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<open.lowerBound]))) }
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else {
                throw TextTemplate.Mistake("A field that begins with {{ must end with }}.")
            }
            parts.append(try Self.part(rest[..<close.lowerBound].trimmingSpaces))
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty || parts.isEmpty { parts.append(.text(String(rest))) }
        self.init(parts)
    }

    private static func part(_ name: String) throws(TextTemplate.Mistake) -> Part {
        let words = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard words.allSatisfy({ Shape.isName($0, limit: 40) }) else {
            throw TextTemplate.Mistake(
                "“{{\(name.prefix(80))}}” is no value: write the name of an input, such as {{database}}, or of what a step "
                    + "reported, such as {{steps.dump.file}}.")
        }
        if words.count == 1, let input = words.first { return .input(input) }
        guard words.count == 3, words.first == "steps" else {
            throw TextTemplate.Mistake(
                "“{{\(name.prefix(80))}}” is no value: what a step reported is written as {{steps.dump.file}}.")
        }
        return .reported(step: words[1], value: words[2])
    }
}
