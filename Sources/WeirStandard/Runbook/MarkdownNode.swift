import CMarkGFM
import Foundation

/// A node of a Markdown document, parsed by GitHub's `cmark-gfm`; valid only during `withDocument`.
struct MarkdownNode {
    private let pointer: OpaquePointer

    /// Parses a document and calls back with its root; returns nil if there is not enough memory.
    static func withDocument<Result>(_ text: String, _ body: (MarkdownNode) throws -> Result) rethrows -> Result? {
        guard let root = parse(text) else { return nil }
        defer { cmark_node_free(root) }
        return try body(MarkdownNode(pointer: root))
    }

    /// Serializes parsing, because `cmark-gfm` keeps its extensions and special characters in global variables.
    private static let parsing = NSLock()

    private static func parse(_ text: String) -> OpaquePointer? {
        parsing.lock()
        defer { parsing.unlock() }
        guard let parser = ccmark_parser() else { return nil }
        defer { cmark_parser_free(parser) }
        var text = text
        text.withUTF8 { bytes in
            // Unsafe memory: the bytes are read only during the call, and no further than their count.
            bytes.withMemoryRebound(to: CChar.self) { cmark_parser_feed(parser, $0.baseAddress, $0.count) }
        }
        return cmark_parser_finish(parser)
    }

    private init(pointer: OpaquePointer) { self.pointer = pointer }

    /// The type in cmark's terms: `heading`, `paragraph`, `tasklist`, `code_inline`, ….
    var type: String { String(cString: cmark_node_get_type_string(pointer)) }

    var literal: String? { cmark_node_get_literal(pointer).map { String(cString: $0) } }

    var address: String? { cmark_node_get_url(pointer).map { String(cString: $0) } }

    var fenceInfo: String { cmark_node_get_fence_info(pointer).map { String(cString: $0) } ?? "" }

    var level: Int { Int(clamping: cmark_node_get_heading_level(pointer)) }

    /// The number of the first item; nil for a list without numbers, and for any other node.
    var firstNumber: Int? {
        guard type == "list", cmark_node_get_list_type(pointer) == CMARK_ORDERED_LIST else { return nil }
        return Int(clamping: cmark_node_get_list_start(pointer))
    }

    /// The lines of the node, from 1.
    var lines: ClosedRange<Int> {
        let first = max(1, Int(clamping: cmark_node_get_start_line(pointer)))
        return first...max(first, Int(clamping: cmark_node_get_end_line(pointer)))
    }

    /// The start column in bytes, from 1.
    var column: Int { max(1, Int(clamping: cmark_node_get_start_column(pointer))) }

    var children: [MarkdownNode] {
        var children: [MarkdownNode] = []
        var next = cmark_node_first_child(pointer)
        while let child = next {
            children.append(MarkdownNode(pointer: child))
            next = cmark_node_next(child)
        }
        return children
    }

    /// The maximum depth of its descendants, computed without recursion, because the stack is limited.
    var depth: Int {
        var (deepest, depth) = (0, 0)
        var node = pointer
        while true {
            if let child = cmark_node_first_child(node) {
                node = child
                depth += 1
                deepest = max(deepest, depth)
                continue
            }
            while depth > 0, cmark_node_next(node) == nil, let parent = cmark_node_parent(node) {
                node = parent
                depth -= 1
            }
            guard depth > 0, let next = cmark_node_next(node) else { return deepest }
            node = next
        }
    }

    /// Whether it contains a task at any depth.
    var holdsTask: Bool { type == "tasklist" || children.contains(where: \.holdsTask) }

    /// Whether it contains HTML, other than comments, at any depth.
    var holdsHTML: Bool {
        if ["html_block", "html_inline"].contains(type) { return literal?.hasPrefix("<!--") != true }
        return children.contains(where: \.holdsHTML)
    }
}

extension MarkdownNode {
    /// The text without Markdown syntax.
    var spans: [RunbookSpan] {
        var spans: [RunbookSpan] = []
        collect(RunbookSpan(""), into: &spans)
        return spans.merged.trimmed
    }

    private func collect(_ style: RunbookSpan, into spans: inout [RunbookSpan]) {
        func add(_ text: String, code: Bool = false) {
            spans.append(
                RunbookSpan(
                    text, code: code || style.code, strong: style.strong, struck: style.struck, link: style.link))
        }
        var style = style
        switch type {
        case "text", "html_inline": add(literal ?? "")
        case "softbreak": add(" ")
        case "linebreak": add("\n")
        case "code": add(literal ?? "", code: true)
        case "code_block": add("\n" + (literal ?? ""), code: true)
        case "html_block": if literal?.hasPrefix("<!--") != true { add(literal ?? "") }
        case "emph", "strong": style.strong = true
        case "strikethrough": style.struck = true
        case "link":
            style = RunbookSpan("", code: style.code, strong: style.strong, struck: style.struck, link: address)
        case "item": add("\n• ")
        default: break
        }
        for child in children { child.collect(style, into: &spans) }
        if type == "paragraph" { add("\n") }
    }
}

extension [RunbookSpan] {
    /// Merges adjacent spans of the same style, and consecutive line breaks.
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

    /// Trims white space and control characters at both ends.
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
    /// Replaces every run of white space and control characters by one space, as in the step's Markdown.
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
        RunbookSpan(text, code: code, strong: strong, struck: struck, link: link)
    }

    fileprivate func isStyled(like other: RunbookSpan) -> Bool {
        code == other.code && strong == other.strong && struck == other.struck && link == other.link
    }
}
