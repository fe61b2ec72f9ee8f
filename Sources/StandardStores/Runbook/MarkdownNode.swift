import CMarkGFM
import Foundation

/// A node of a Markdown document, as GitHub's own parser sees it: `cmark-gfm`.
///
/// Valid only while its document is.
struct MarkdownNode {
    private let pointer: OpaquePointer

    /// Reads a document and calls back with its root; nil when there is no memory for it.
    static func withDocument<Result>(_ text: String, _ body: (MarkdownNode) throws -> Result) rethrows -> Result? {
        guard let root = parse(text) else { return nil }
        defer { cmark_node_free(root) }
        return try body(MarkdownNode(pointer: root))
    }

    /// One document is read at a time: `cmark-gfm` keeps its extensions, and the characters they look for, in variables of
    /// the whole process.
    private static let parsing = NSLock()

    private static func parse(_ text: String) -> OpaquePointer? {
        parsing.lock()
        defer { parsing.unlock() }
        guard let parser = ccmark_parser() else { return nil }
        defer { cmark_parser_free(parser) }
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { cmark_parser_feed(parser, $0.baseAddress, $0.count) }
        }
        return cmark_parser_finish(parser)
    }

    private init(pointer: OpaquePointer) { self.pointer = pointer }

    /// What it is, in cmark's words: `heading`, `paragraph`, `tasklist`, `code_inline`, ….
    var type: String { String(cString: cmark_node_get_type_string(pointer)) }

    /// Its own text, where it has one.
    var literal: String? { cmark_node_get_literal(pointer).map { String(cString: $0) } }

    /// The address of a link.
    var address: String? { cmark_node_get_url(pointer).map { String(cString: $0) } }

    /// What stands behind the opening fence of a code block.
    var fenceInfo: String { cmark_node_get_fence_info(pointer).map { String(cString: $0) } ?? "" }

    /// How high a heading is, from 1.
    var level: Int { Int(cmark_node_get_heading_level(pointer)) }

    /// The lines it stands on, from 1.
    var lines: ClosedRange<Int> {
        let first = Int(cmark_node_get_start_line(pointer))
        return first...max(first, Int(cmark_node_get_end_line(pointer)))
    }

    /// The byte of its first line at which it begins, from 1.
    var column: Int { Int(cmark_node_get_start_column(pointer)) }

    /// What lies in it, in order.
    var children: [MarkdownNode] {
        var children: [MarkdownNode] = []
        var next = cmark_node_first_child(pointer)
        while let child = next {
            children.append(MarkdownNode(pointer: child))
            next = cmark_node_next(child)
        }
        return children
    }

    /// Whether a task lies anywhere in it.
    var holdsTask: Bool { type == "tasklist" || children.contains(where: \.holdsTask) }
}
