/// A piece of a settings file with its line: what rules are read from, whatever the file's format.
package struct RuleNode: Sendable {
    /// What stands there.
    package indirect enum Content: Sendable {
        case text(String)
        case list([RuleNode])
        case mapping([(key: RuleNode, value: RuleNode)])
        case other
    }

    package let content: Content
    package let line: Int

    package init(_ content: Content, line: Int) {
        self.content = content
        self.line = line
    }

    var text: String? {
        guard case .text(let text) = content else { return nil }
        return text
    }

    /// The texts of a list, or a single text as a list of one; nil for anything else.
    var texts: [(text: String, line: Int)]? {
        switch content {
        case .text(let text): return [(text, line)]
        case .list(let nodes):
            let texts = nodes.compactMap { node in node.text.map { ($0, node.line) } }
            return texts.count == nodes.count ? texts : nil
        case .mapping, .other: return nil
        }
    }
}
