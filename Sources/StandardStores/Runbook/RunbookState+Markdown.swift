extension RunbookState {
    /// The checklist as Markdown, with what became of each step below it.
    ///
    /// Reading it gives the same checklist, but for who waits; times are cut to the second.
    public var markdown: String {
        var blocks = ["# \(title)"]
        for section in sections {
            if let heading = section.heading {
                blocks.append("\(String(repeating: "#", count: section.level)) \(heading)")
            }
            blocks += section.notes.blocks
            if !section.steps.isEmpty { blocks.append(section.steps.map(\.lines).joined(separator: "\n")) }
        }
        return blocks.joined(separator: "\n\n") + "\n"
    }
}

extension [RunbookNote] {
    /// Each as a block of Markdown; items that follow each other are one.
    fileprivate var blocks: [String] {
        var blocks: [String] = []
        for (index, note) in enumerated() {
            if note.isItem, index > 0, self[index - 1].isItem {
                blocks[blocks.count - 1] += "\n" + note.markdown
            } else {
                blocks.append(note.markdown)
            }
        }
        return blocks
    }
}

extension RunbookStep {
    /// The step and all below it but other steps.
    fileprivate var lines: String {
        var isDone = false
        if case .done = mark { isDone = true }
        var below = records.map { "- \($0.text)" }.joined(separator: "\n")
        for block in notes.blocks { below += (below.isEmpty ? "\n" : "\n\n") + block }
        if !notes.isEmpty { below += "\n" }
        let head = indented("- [\(isDone ? "x" : " ")] \(markdown)", by: depth)
        return below.isEmpty ? head : head + "\n" + indented(below, by: depth + 1)
    }

    private func indented(_ text: String, by depth: Int) -> String {
        let space = String(repeating: "  ", count: depth)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : space + $0 }.joined(separator: "\n")
    }
}
