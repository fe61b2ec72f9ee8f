extension RunbookState {
    /// The checklist as Markdown, with the history of each step below it.
    ///
    /// Parsing it returns the same checklist, except for waiting people and fractions of seconds.
    var markdown: String {
        // The text below a numbered step is indented at least as far as the step's text begins.
        let digits = sections.flatMap(\.steps).compactMap { $0.number.map { String($0).count } }.max()
        let width = digits.map { max(4, $0 + 2) } ?? 2
        var blocks = ["# \(title.asMarkdown)"]
        for section in sections {
            if let heading = section.heading {
                blocks.append("\(String(repeating: "#", count: max(1, section.level))) \(heading.asMarkdown)")
            }
            blocks += section.notes.blocks
            if !section.steps.isEmpty {
                blocks.append(section.steps.lines(indentedBy: width))
            }
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }
}

extension [RunbookNote] {
    /// The blocks of Markdown; consecutive items form one block.
    fileprivate var blocks: [String] {
        var blocks: [String] = []
        var follows = false
        for note in self {
            if note.isItem, follows, let last = blocks.indices.last {
                blocks[last] += "\n" + note.markdown
            } else {
                blocks.append(note.markdown)
            }
            follows = note.isItem
        }
        return blocks
    }
}

extension [RunbookStep] {
    fileprivate func lines(indentedBy width: Int) -> String {
        var (text, depth) = ("", -1)
        for step in self {
            // Below a text, a list that begins at another number than 1 needs an empty line before it.
            let isApart = depth >= 0 && step.depth > depth && step.number.map { $0 != 1 } == true
            text += (depth < 0 ? "" : isApart ? "\n\n" : "\n") + step.lines(indentedBy: width)
            depth = step.depth
        }
        return text
    }
}

extension RunbookStep {
    /// The step and everything below it except nested steps.
    fileprivate func lines(indentedBy width: Int) -> String {
        var isDone = false
        if case .done = mark { isDone = true }
        var below = records.map { "- \($0.text)" }.joined(separator: "\n")
        for block in notes.blocks { below += (below.isEmpty ? "\n" : "\n\n") + block }
        if !notes.isEmpty { below += "\n" }
        let marker = number.map { "\($0)." } ?? "-"
        let head = indented("\(marker) [\(isDone ? "x" : " ")] \(markdown)", by: depth * width)
        return below.isEmpty ? head : head + "\n" + indented(below, by: (depth + 1) * width)
    }

    private func indented(_ text: String, by columns: Int) -> String {
        let space = String(repeating: " ", count: max(0, columns))
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : space + $0 }.joined(separator: "\n")
    }
}

extension String {
    /// Escapes Markdown syntax.
    fileprivate var asMarkdown: String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if "\\`*_[<&~".unicodeScalars.contains(scalar) { text.append("\\") }
            text.append(scalar)
        }
        // Number signs at the end would close the heading.
        if text.last == "#" { text.insert("\\", at: text.index(before: text.endIndex)) }
        return String(text)
    }
}
