extension MarkdownNode {
    /// How its text reads, without Markdown's marks.
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
    /// The same with neighbours of one style made one, and never more than one line break together.
    fileprivate var merged: [RunbookSpan] {
        var merged: [RunbookSpan] = []
        for span in self {
            if let last = merged.last, last.isStyled(like: span) {
                let isDouble = last.text.hasSuffix("\n") && span.text.hasPrefix("\n")
                merged[merged.count - 1] = last.reading(
                    last.text + (isDouble ? String(span.text.dropFirst()) : span.text))
            } else {
                merged.append(span)
            }
        }
        return merged
    }

    /// The same without white space around.
    fileprivate var trimmed: [RunbookSpan] {
        var spans = self
        while let first = spans.first {
            let text = String(first.text.drop(while: \.isWhitespace))
            spans[0] = first.reading(text)
            guard text.isEmpty else { break }
            spans.removeFirst()
        }
        while let last = spans.last {
            let text = String(last.text.reversed().drop(while: \.isWhitespace).reversed())
            spans[spans.count - 1] = last.reading(text)
            guard text.isEmpty else { break }
            spans.removeLast()
        }
        return spans
    }
}

extension RunbookSpan {
    /// The same with every run of white space made one space.
    var onOneLine: RunbookSpan { reading(text.replacing(/\s+/, with: " ")) }

    fileprivate func reading(_ text: String) -> RunbookSpan {
        RunbookSpan(text, code: code, strong: strong, link: link)
    }

    fileprivate func isStyled(like other: RunbookSpan) -> Bool {
        code == other.code && strong == other.strong && link == other.link
    }
}
