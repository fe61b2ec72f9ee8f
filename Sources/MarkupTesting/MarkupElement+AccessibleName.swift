import CLibXML2

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
