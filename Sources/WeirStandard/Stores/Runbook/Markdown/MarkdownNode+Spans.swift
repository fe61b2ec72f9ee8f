extension MarkdownNode {
    /// Its text without Markdown's marks.
    var spans: [RunbookSpan] {
        var spans: [RunbookSpan] = []
        collect(RunbookSpan(""), into: &spans)
        return spans.merged.trimmed
    }

    private func collect(_ style: RunbookSpan, into spans: inout [RunbookSpan]) {
        func add(_ text: String, code: Bool = false) {
            spans.append(RunbookSpan(text, code: code || style.code, strong: style.strong, link: style.link))
        }
        var style = style
        switch type {
        case "text", "html_inline": add(literal ?? "")
        case "softbreak": add(" ")
        case "linebreak": add("\n")
        case "code": add(literal ?? "", code: true)
        case "code_block": add("\n" + (literal ?? ""), code: true)
        case "html_block": if literal?.hasPrefix("<!--") != true { add(literal ?? "") }
        case "emph", "strong": style = RunbookSpan("", code: style.code, strong: true, link: style.link)
        case "link":
            style = RunbookSpan("", code: style.code, strong: style.strong, link: address)
        case "item": add("\n• ")
        default: break
        }
        for child in children { child.collect(style, into: &spans) }
        if type == "paragraph" { add("\n") }
    }
}

extension [RunbookSpan] {
    /// The same with adjacent spans of one style merged, and at most one line break in a row.
    fileprivate var merged: [RunbookSpan] {
        var merged: [RunbookSpan] = []
        for span in self {
            if let index = merged.indices.last, case let last = merged[index], last.isStyled(like: span) {
                let isDouble = last.text.hasSuffix("\n") && span.text.hasPrefix("\n")
                merged[index] = last.reading(
                    last.text + (isDouble ? String(span.text.dropFirst()) : span.text))
            } else {
                merged.append(span)
            }
        }
        return merged
    }

    /// The same without white space and control characters at the ends.
    fileprivate var trimmed: [RunbookSpan] {
        var spans = self
        while let first = spans.first {
            let text = String(String.UnicodeScalarView(first.text.unicodeScalars.drop(while: \.isBlank)))
            spans[0] = first.reading(text)
            guard text.isEmpty else { break }
            spans.removeFirst()
        }
        while let index = spans.indices.last {
            let last = spans[index]
            let blanks = last.text.unicodeScalars.reversed().prefix(while: \.isBlank).count
            let text = String(String.UnicodeScalarView(last.text.unicodeScalars.dropLast(blanks)))
            spans[index] = last.reading(text)
            guard text.isEmpty else { break }
            spans.removeLast()
        }
        return spans
    }
}

extension RunbookSpan {
    /// The same with every run of white space and control characters reduced to one space, as in the step's Markdown.
    var onOneLine: RunbookSpan {
        var line = String.UnicodeScalarView()
        var isBlank = false
        for scalar in text.unicodeScalars {
            if !scalar.isBlank { line.append(scalar) } else if !isBlank { line.append(" ") }
            isBlank = scalar.isBlank
        }
        return reading(String(line))
    }

    fileprivate func reading(_ text: String) -> RunbookSpan {
        RunbookSpan(text, code: code, strong: strong, link: link)
    }

    fileprivate func isStyled(like other: RunbookSpan) -> Bool {
        code == other.code && strong == other.strong && link == other.link
    }
}
