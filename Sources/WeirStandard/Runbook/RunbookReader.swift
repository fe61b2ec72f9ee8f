/// Parses a runbook from Markdown.
///
/// The title is the first heading if it is of level 1. Every other heading starts a section, and so does text between two
/// lists. Each task list item is a step, and indented text below it is its notes; a line in the form of ``RunbookRecord``
/// records its history. Everything else is a note and is kept unchanged. Code is not interpreted.
struct RunbookReader {
    private let lines: [Substring]
    private let file: String
    private(set) var title: String?
    private(set) var sections: [RunbookSection] = []
    /// The boxes that are no steps, and the HTML.
    private(set) var remarks: [RunbookFileError] = []
    private var ids: Set<String> = []

    private init(_ text: String, file: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        self.file = file
    }

    /// Parses a document whose lines end with line feeds.
    static func read(_ text: String, file: String) throws -> RunbookReader {
        var reader = RunbookReader(text, file: file)
        let isRead: Void? = try MarkdownNode.withDocument(text) { root in
            guard root.depth <= 2 * RunbookStep.deepest else {
                throw RunbookFileError(
                    "is nested more than \(2 * RunbookStep.deepest) deep; make it flatter", file: file)
            }
            var next = 1
            for block in root.children {
                reader.keepDefinitions(next..<max(next, block.lines.lowerBound))
                try reader.readTop(block)
                next = block.lines.upperBound + 1
            }
            reader.keepDefinitions(next..<max(next, reader.lines.count + 1))
        }
        guard isRead != nil else { throw RunbookFileError("there is not enough memory to read it", file: file) }
        return reader
    }

    private mutating func readTop(_ block: MarkdownNode) throws {
        if block.holdsHTML {
            remarks.append(
                RunbookFileError(
                    "HTML is shown as it is written; use Markdown instead", file: file, line: block.lines.lowerBound))
        }
        guard block.type == "heading" else { return try read(block, depth: 0, within: nil) }
        let text = block.spans.map(\.text).joined().replacing("\n", with: " ")
        if block.level == 1, title == nil, sections.allSatisfy({ $0.heading == nil }) {
            title = text
        } else {
            sections.append(RunbookSection(text, level: block.level))
        }
    }

    private mutating func read(_ block: MarkdownNode, depth: Int, within step: Int?) throws {
        guard block.type == "list" else {
            if block.type == "block_quote", holdsBox(block) {
                remarks.append(
                    RunbookFileError(
                        "a box in a quotation is no step; remove the > in front of it", file: file,
                        line: block.lines.lowerBound))
            }
            return add(note(block), to: step)
        }
        for (place, item) in block.children.enumerated() {
            if item.type == "tasklist" {
                try readStep(item, depth: depth, number: block.firstNumber.map { $0 + place })
            } else if item.holdsTask {
                for child in item.children { try read(child, depth: depth, within: step) }
            } else if let step, let section = sections.indices.last, let record = RunbookRecord(words(item)) {
                sections[section].steps[step].take(record)
            } else {
                add(note(item), to: step)
            }
        }
    }

    /// Whether a line below the first one separates the head of a table from its rows: `|---|---|`.
    private func hasTable(_ text: String) -> Bool {
        text.split(separator: "\n").dropFirst().contains { line in
            line.contains("|") && line.contains("-") && line.allSatisfy { "|-: \t".contains($0) }
        }
    }

    private mutating func readStep(_ item: MarkdownNode, depth: Int, number: Int?) throws {
        var rest = item.children[...]
        guard let text = rest.first, text.type == "paragraph", !text.spans.isEmpty else {
            throw RunbookFileError(
                "this box has no text; write the step after it", file: file, line: item.lines.lowerBound)
        }
        // Checked before the step is named, whose cost grows with the number of steps of the same text.
        guard ids.count < RunbookState.stepLimit else {
            throw RunbookFileError(
                "has more than the limit of \(RunbookState.stepLimit) steps; split it into several runbooks", file: file
            )
        }
        rest = rest.dropFirst()
        var step = RunbookStep(
            id: "", markdown: oneLine(text), spans: text.spans.map(\.onOneLine), depth: depth,
            number: number, isTickedInFile: isTicked(item))
        step.id = String(naming: step.text, taken: ids)
        ids.insert(step.id)
        if step.isTickedInFile { step.mark = .done(signed: nil) }
        if sections.isEmpty { sections.append(RunbookSection(nil)) }
        let section = sections.count - 1
        sections[section].steps.append(step)
        let index = sections[section].steps.count - 1
        for block in rest { try read(block, depth: depth + 1, within: index) }
    }

    private mutating func add(_ note: RunbookNote, to step: Int?) {
        if let step, let section = sections.indices.last { return sections[section].steps[step].notes.append(note) }
        if sections.last?.steps.isEmpty != true { sections.append(RunbookSection(nil)) }
        if let section = sections.indices.last { sections[section].notes.append(note) }
    }

    /// Keeps lines that cmark consumes without creating a block: link definitions.
    private mutating func keepDefinitions(_ range: Range<Int>) {
        let text = range.clamped(to: 1..<lines.count + 1).map(line).joined(separator: "\n")
        let kept = text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        if !kept.isEmpty { add(RunbookNote(markdown: String(kept), spans: []), to: nil) }
    }

    // MARK: What the file says, word by word

    private func note(_ block: MarkdownNode) -> RunbookNote {
        if block.type == "code_block", let code = block.literal {
            let text = code.hasSuffix("\n") ? String(code.dropLast()) : code
            let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
            let fence = String(repeating: "`", count: max(3, longest + 1))
            return RunbookNote(
                markdown: "\(fence)\(block.fenceInfo)\n\(text)\n\(fence)", spans: [RunbookSpan(text, code: true)],
                isCode: true)
        }
        if block.type == "paragraph", case let text = source(block), hasTable(text) {
            return RunbookNote(markdown: text, spans: [RunbookSpan(text, code: true)], isCode: true)
        }
        return RunbookNote(markdown: source(block), spans: block.spans, isItem: block.type == "item")
    }

    /// The text of a list item on one line.
    private func words(_ item: MarkdownNode) -> String {
        let blocks = item.children
        guard blocks.count == 1, blocks[0].type == "paragraph" else { return "" }
        return oneLine(blocks[0])
    }

    private func oneLine(_ block: MarkdownNode) -> String {
        let lines = source(block).split(separator: "\n").map(String.init)
        // A backslash at the end of a line is a line break, which must not remain on one line.
        let broken = lines.dropLast().map { $0.hasSuffix("\\") ? String($0.dropLast()) : $0 } + lines.suffix(1)
        return broken.joined(separator: " ").onOneLine
    }

    /// Returns whether an item at any depth of a quotation begins with a box.
    ///
    /// `cmark-gfm` does not take it for a task there, because it looks for the box from the beginning of the line.
    private func holdsBox(_ block: MarkdownNode) -> Bool {
        guard block.type != "tasklist" else { return true }
        if block.type == "item", let text = block.children.first, text.type == "paragraph",
            ["[ ] ", "[x] ", "[X] "].contains(where: source(text).hasPrefix)
        {
            return true
        }
        return block.children.contains(where: holdsBox)
    }

    /// Returns whether an item's box is ticked.
    ///
    /// `cmark-gfm` also reports this for an open box with `[x]` later in its line.
    private func isTicked(_ item: MarkdownNode) -> Bool {
        let box = line(item.lines.lowerBound).utf8.dropFirst(max(0, item.column - 1)).drop { $0 != UInt8(ascii: "[") }
        return [UInt8(ascii: "x"), UInt8(ascii: "X")].contains(box.dropFirst().first)
    }

    /// The line with a number from 1, or an empty text if it does not exist.
    private func line(_ number: Int) -> Substring {
        // Never traps: the index was just checked.
        lines.indices.contains(number - 1) ? lines[number - 1] : ""
    }

    /// The lines of a block without its indentation.
    private func source(_ block: MarkdownNode) -> String {
        let range = block.lines.clamped(to: 1...max(1, lines.count))
        let first = line(range.lowerBound).utf8
        let indentation = String(decoding: first.prefix(max(0, block.column - 1)), as: UTF8.self).spaced.count
        var kept = [String(decoding: first.dropFirst(max(0, block.column - 1)), as: UTF8.self)]
        for line in lines[range.lowerBound..<range.upperBound] {
            let line = line.spaced
            let blank = line.prefix(indentation).prefix { $0 == " " }
            kept.append(String(line.dropFirst(blank.count)))
        }
        while kept.count > 1, kept.last?.allSatisfy(\.isWhitespace) == true { kept.removeLast() }
        return kept.joined(separator: "\n")
    }
}

extension StringProtocol {
    /// Expands tabs before the first word to the next multiple of four columns.
    fileprivate var spaced: String {
        var spaces = 0
        let words = drop { character in
            guard character == " " || character == "\t" else { return false }
            spaces += character == "\t" ? 4 - spaces % 4 : 1
            return true
        }
        // Never traps: the count of spaces starts at 0 and only grows.
        return String(repeating: " ", count: spaces) + words
    }
}

extension String {
    /// Derives a unique name from a text: lower-case ASCII letters and digits, joined by hyphens.
    init(naming text: String, orElse other: String = "step", taken: Set<String> = []) {
        let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        var name = ""
        for word in words where name.isEmpty || name.count + word.count < 40 {
            name += (name.isEmpty ? "" : "-") + word.prefix(40)
        }
        if name.isEmpty { name = other }
        var candidate = name
        var number = 2
        while taken.contains(candidate) {
            candidate = "\(name)-\(number)"
            number += 1
        }
        self = candidate
    }
}
