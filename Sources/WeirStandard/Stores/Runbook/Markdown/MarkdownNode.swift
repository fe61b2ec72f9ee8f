import CMarkGFM
import Foundation

/// A node of a Markdown document, parsed by GitHub's own parser, `cmark-gfm`.
///
/// Valid only while its document exists.
struct MarkdownNode {
    private let pointer: OpaquePointer

    /// Parses a document and calls back with its root; nil if there is no memory for it.
    static func withDocument<Result>(_ text: String, _ body: (MarkdownNode) throws -> Result) rethrows -> Result? {
        guard let root = parse(text) else { return nil }
        defer { cmark_node_free(root) }
        return try body(MarkdownNode(pointer: root))
    }

    /// Only one document is parsed at a time: `cmark-gfm` keeps its extensions, and their characters, in global
    /// variables.
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

    /// Its type in cmark's terms: `heading`, `paragraph`, `tasklist`, `code_inline`, ….
    var type: String { String(cString: cmark_node_get_type_string(pointer)) }

    /// Its own text, if it has one.
    var literal: String? { cmark_node_get_literal(pointer).map { String(cString: $0) } }

    /// The address of a link.
    var address: String? { cmark_node_get_url(pointer).map { String(cString: $0) } }

    /// The text after the opening fence of a code block.
    var fenceInfo: String { cmark_node_get_fence_info(pointer).map { String(cString: $0) } ?? "" }

    /// The level of a heading, from 1.
    var level: Int { Int(clamping: cmark_node_get_heading_level(pointer)) }

    /// The lines of the node, from 1.
    var lines: ClosedRange<Int> {
        let first = max(1, Int(clamping: cmark_node_get_start_line(pointer)))
        return first...max(first, Int(clamping: cmark_node_get_end_line(pointer)))
    }

    /// The byte of its first line at which it begins, from 1.
    var column: Int { max(1, Int(clamping: cmark_node_get_start_column(pointer))) }

    /// Its children, in order.
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
}
