import CLibXML2

/// What is well-formed XML and yet means something else to a browser: `<div/>`, `<br></br>`, a missing document type.
struct PolyglotSyntax {
    private static let voidElements: Set = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]

    func problems(in document: MarkupDocument) -> [MarkupProblem] {
        endings(in: document) + documentType(of: document) + foreign(in: document)
    }

    private func endings(in document: MarkupDocument) -> [MarkupProblem] {
        ([document.root] + document.root.descendants).compactMap { element in
            guard let tag = document.tag(of: element.node) else { return nil }
            let isVoid = Self.voidElements.contains(element.name)
            guard isVoid != tag.isSelfClosing, !isDrawing(element) else { return nil }
            let sentence =
                isVoid
                ? "<\(element.name)> is a void element. Write <\(element.name)/>."
                : "A browser takes <\(element.name)/> for an element left open. Write <\(element.name)></\(element.name)>."
            return document.problem(sentence, rule: TreeReader.rule, at: element.node)
        }
    }

    /// Browsers read `/>` in SVG as XML does.
    private func isDrawing(_ element: MarkupElement) -> Bool {
        element.name == "svg" || element.ancestors.contains { $0.name == "svg" }
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
                "A browser takes processing instructions and CDATA sections for comments. Leave it out.",
                rule: TreeReader.rule, at: offset)
        }
    }
}
