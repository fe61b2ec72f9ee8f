import CLibXML2

/// An XPath expression that selects elements.
struct XPathQuery {
    private let expression: String

    init(_ expression: String) {
        self.expression = expression
    }

    func elements(in document: MarkupDocument, from start: MarkupElement) throws(MarkupError) -> [MarkupElement] {
        guard let context = xmlXPathNewContext(document.tree) else { return [] }
        defer { xmlXPathFreeContext(context) }
        let log = ErrorLog()
        clibxml2_start_xpath(context, start.node, log.pointer) { log, error in
            guard let error else { return }
            ErrorLog.at(log)?.add(ErrorLog.Entry(error.pointee))
        }
        let result = withExtendedLifetime(log) { xmlXPathEvalExpression(expression, context) }
        guard let result else {
            let reason = log.entries.first?.message ?? "unknown reason"
            throw MarkupError(problems: [
                MarkupProblem(line: 1, column: 1, sentence: "XPath “\(expression)”: \(reason).", rule: "xpath")
            ])
        }
        defer { xmlXPathFreeObject(result) }
        guard result.pointee.type == XPATH_NODESET, let nodes = result.pointee.nodesetval else { return [] }
        return (0..<Int(nodes.pointee.nodeNr)).compactMap { index in
            guard let node = nodes.pointee.nodeTab[index], node.pointee.type == XML_ELEMENT_NODE else { return nil }
            return MarkupElement(node: node, document: document)
        }
    }
}
