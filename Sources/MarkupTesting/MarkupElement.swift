import CLibXML2

/// One element of a parsed document.
public struct MarkupElement {
    let node: xmlNodePtr

    /// The document it belongs to.
    package let document: MarkupDocument

    /// The element's name, such as `button`.
    public var name: String { String(cString: node.pointee.name) }

    /// The line of the element's start tag, from 1.
    package var line: Int { position.line }

    /// The character of the line at which the start tag begins, from 1.
    package var column: Int { position.column }

    /// The element that contains it; nil for the outermost one.
    public var parent: MarkupElement? {
        guard let parent = node.pointee.parent, parent.pointee.type == XML_ELEMENT_NODE else { return nil }
        return MarkupElement(node: parent, document: document)
    }

    /// The elements directly in it, in order.
    public var children: [MarkupElement] {
        sequence(first: node.pointee.children) { $0?.pointee.next }.compactMap { child in
            guard let child, child.pointee.type == XML_ELEMENT_NODE else { return nil }
            return MarkupElement(node: child, document: document)
        }
    }

    /// The elements in it at any depth, in the order of the source.
    package var descendants: [MarkupElement] {
        var found: [MarkupElement] = []
        TreeWalk.elements(under: node) { found.append(MarkupElement(node: $0, document: document)) }
        return found
    }

    /// The elements that contain it, from the nearest outwards.
    package var ancestors: [MarkupElement] {
        Array(sequence(first: self) { $0.parent }.dropFirst())
    }

    /// All text in it, as written.
    public var text: String {
        guard let content = xmlNodeGetContent(node) else { return "" }
        defer { LibXML2.free(content) }
        return String(cString: content)
    }

    /// The value of an attribute; nil if the element does not have it.
    /// - Parameter attribute: The attribute's name.
    public subscript(_ attribute: String) -> String? {
        guard let value = xmlGetNoNsProp(node, attribute) else { return nil }
        defer { LibXML2.free(value) }
        return String(cString: value)
    }

    /// The names of its attributes, in the order of the source.
    public var attributeNames: [String] {
        sequence(first: node.pointee.properties) { $0?.pointee.next }.compactMap { attribute in
            attribute.map { String(cString: $0.pointee.name) }
        }
    }

    /// The elements that an XPath expression selects, starting from this one.
    /// - Parameter xpath: An XPath 1.0 expression of elements, such as `.//li`.
    /// - Returns: The elements; none if the expression selects something else.
    /// - Throws: ``MarkupError`` if the expression does not compile.
    public func elements(_ xpath: String) throws(MarkupError) -> [MarkupElement] {
        try XPathQuery(xpath).elements(in: document, from: self)
    }

    /// A problem at this element, for rules.
    /// - Parameters:
    ///   - sentence: What is wrong and what to do.
    ///   - rule: The rule that is broken.
    /// - Returns: The problem, with line, column and excerpt.
    public func problem(_ sentence: String, of rule: any MarkupRule) -> MarkupProblem {
        document.problem(sentence, rule: rule.name, at: node)
    }

    private var position: SourceText.Position {
        document.source.position(at: document.tag(of: node)?.offset ?? 0)
    }
}

extension MarkupDocument {
    /// A problem at a node of this document's tree or of a numbered copy.
    func problem(_ sentence: String, rule: String, at node: xmlNodePtr) -> MarkupProblem {
        source.problem(sentence, rule: rule, at: tag(of: node)?.offset ?? 0)
    }
}
