import CLibXML2

/// One element of a parsed document.
public struct MarkupElement {
    let node: xmlNodePtr

    let document: MarkupDocument

    /// The element's name, such as `button`.
    public var name: String { String(cString: node.pointee.name) }

    var line: Int { position.line }

    /// The character of the line at which the start tag begins, from 1.
    var column: Int { position.column }

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
    var descendants: [MarkupElement] {
        var found: [MarkupElement] = []
        TreeWalk.elements(under: node) { found.append(MarkupElement(node: $0, document: document)) }
        return found
    }

    /// The elements that contain it, from the nearest outwards.
    var ancestors: [MarkupElement] {
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
    ///   - sentence: The problem and its remedy.
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

extension MarkupElement {
    /// The name that assistive technology announces for the element; empty if it has none.
    ///
    /// It follows *Accessible Name and Description Computation 1.2*, as far as server-rendered pages need it:
    /// `aria-labelledby`, `aria-label`, the element's label, alternative text or content, and finally `title`.
    public var accessibleName: String {
        let candidates = [
            referencedText("aria-labelledby"), self["aria-label"] ?? "", nativeName, self["title"] ?? "",
        ]
        return candidates.lazy.map(\.collapsed).first { !$0.isEmpty } ?? ""
    }

    /// Whether assistive technology ignores the element, because it or an ancestor is hidden.
    public var isHiddenFromAssistiveTechnology: Bool {
        ([self] + ancestors).contains { $0["aria-hidden"] == "true" || $0["hidden"] != nil }
    }

    /// Whether the element is a form field: a visible input, a select, or a textarea.
    var isField: Bool {
        switch name {
        case "select", "textarea": true
        case "input": !["hidden", "submit", "reset", "button"].contains(self["type"] ?? "text")
        default: false
        }
    }

    /// The labels of a control: those that name it by `for`, and the one around it.
    var labels: [MarkupElement] {
        let around = ancestors.filter { $0.name == "label" && $0["for"] == nil }
        guard let id = self["id"] else { return around }
        return around + (document.labelsByTarget[id] ?? [])
    }

    /// The words of an attribute that refers to other elements by their ids.
    func references(_ attribute: String) -> [String] {
        self[attribute]?.split(whereSeparator: \.isWhitespace).map(String.init) ?? []
    }

    private func referencedText(_ attribute: String) -> String {
        references(attribute).compactMap { document.elementsByID[$0]?.spokenText }.joined(separator: " ")
    }

    private var nativeName: String {
        switch (name, self["type"]) {
        case ("input", "submit"): self["value"] ?? "Submit"
        case ("input", "reset"): self["value"] ?? "Reset"
        case ("input", "button"): self["value"] ?? ""
        case ("img", _): self["alt"] ?? ""
        case ("svg", _): children.first { $0.name == "title" }?.text ?? ""
        case ("input", _), ("select", _), ("textarea", _), ("progress", _), ("meter", _), ("output", _):
            labels.map(\.spokenText).joined(separator: " ")
        case ("fieldset", _): children.first { $0.name == "legend" }?.spokenText ?? ""
        case ("table", _): children.first { $0.name == "caption" }?.spokenText ?? ""
        default: self["role"] == "progressbar" || self["role"] == "meter" ? "" : spokenText
        }
    }

    /// The text of the element as it is announced: with alternative texts, without hidden parts and unnamed drawings.
    private var spokenText: String {
        sequence(first: node.pointee.children) { $0?.pointee.next }.reduce(into: "") { spoken, child in
            guard let child else { return }
            switch child.pointee.type {
            case XML_TEXT_NODE: spoken += child.pointee.content.map { String(cString: $0) } ?? ""
            case XML_ELEMENT_NODE: spoken += MarkupElement(node: child, document: document).spokenPart
            default: break
            }
        }
    }

    /// What the element adds to the announced text of an ancestor.
    private var spokenPart: String {
        if self["aria-hidden"] == "true" || self["hidden"] != nil { return "" }
        if let label = self["aria-label"] { return " \(label) " }
        return name == "img" || name == "svg" ? " \(nativeName) " : spokenText
    }
}

extension String {
    /// The text with each run of white space reduced to one space, and without any at the ends.
    var collapsed: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
