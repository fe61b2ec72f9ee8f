import CLibXML2

/// Finds well-formed XML that a browser reads differently: `<div/>`, `<br></br>`, a missing document type.
struct PolyglotSyntax {
    private static let voidElements: Set = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]

    func problems(in document: MarkupDocument) -> [MarkupProblem] {
        endings(in: document) + documentType(of: document) + foreign(in: document)
    }

    /// Whether an element without content is written `<x/>`: a void element, or one of a drawing.
    static func endsItself(_ node: xmlNodePtr) -> Bool {
        voidElements.contains(String(cString: node.pointee.name)) || isDrawing(node)
    }

    private func endings(in document: MarkupDocument) -> [MarkupProblem] {
        var problems: [MarkupProblem] = []
        TreeWalk.elements(of: document.tree) { node in
            let name = String(cString: node.pointee.name)
            let isVoid = Self.voidElements.contains(name)
            guard let tag = document.tag(of: node), isVoid != tag.isSelfClosing, !Self.isDrawing(node) else { return }
            let sentence =
                isVoid
                ? "<\(name)> is a void element. Write <\(name)/>."
                : "A browser reads <\(name)/> as an element that is left open. Write <\(name)></\(name)>."
            problems.append(document.problem(sentence, rule: TreeReader.rule, at: node))
        }
        return problems
    }

    /// Browsers read `/>` in SVG as XML does.
    private static func isDrawing(_ node: xmlNodePtr) -> Bool {
        sequence(first: node) { $0.pointee.parent }.contains { ancestor in
            ancestor.pointee.type == XML_ELEMENT_NODE && String(cString: ancestor.pointee.name) == "svg"
        }
    }

    private func documentType(of document: MarkupDocument) -> [MarkupProblem] {
        guard document.kind == .document else { return [] }
        let isPlain =
            document.tree.pointee.intSubset.map { type in
                String(cString: type.pointee.name) == "html" && type.pointee.ExternalID == nil
                    && type.pointee.SystemID == nil && type.pointee.children == nil
            } ?? false
        return isPlain
            ? [] : [document.source.problem("A page begins with <!DOCTYPE html>.", rule: TreeReader.rule, at: 0)]
    }

    private func foreign(in document: MarkupDocument) -> [MarkupProblem] {
        document.scan.foreign.map { offset in
            document.source.problem(
                "A browser reads processing instructions and CDATA sections as comments. Leave it out.",
                rule: TreeReader.rule, at: offset)
        }
    }
}
