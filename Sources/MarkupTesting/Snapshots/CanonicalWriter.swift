import CLibXML2

/// Writes a tree in the form documented at ``Markup/canonical(_:as:)``.
struct CanonicalWriter {
    func write(_ document: MarkupDocument) -> String {
        switch document.kind {
        case .document: "<!DOCTYPE html>\n" + lines(of: document.root.node, depth: 0)
        case .fragment: content(of: document.root.node, depth: 0)
        }
    }

    /// The element on lines of its own, or on one line if it contains only text or nothing.
    private func lines(of element: xmlNodePtr, depth: Int) -> String {
        let indentation = String(repeating: "  ", count: depth)
        guard let child = element.pointee.children else {
            return "\(indentation)\(startTag(of: element, isEmpty: true))\n"
        }
        let name = String(cString: element.pointee.name)
        let start = startTag(of: element, isEmpty: false)
        if name == "pre" || name == "textarea" {
            return "\(indentation)\(start)\(verbatim(element))</\(name)>\n"
        }
        if child.pointee.type == XML_TEXT_NODE, child.pointee.next == nil {
            return "\(indentation)\(start)\(text(of: child))</\(name)>\n"
        }
        return "\(indentation)\(start)\n\(content(of: element, depth: depth + 1))\(indentation)</\(name)>\n"
    }

    private func content(of element: xmlNodePtr, depth: Int) -> String {
        children(of: element).reduce(into: "") { written, child in
            switch child.pointee.type {
            case XML_ELEMENT_NODE: written += lines(of: child, depth: depth)
            case XML_TEXT_NODE:
                let text = text(of: child)
                if !text.isEmpty { written += "\(String(repeating: "  ", count: depth))\(text)\n" }
            default: break
            }
        }
    }

    private func verbatim(_ element: xmlNodePtr) -> String {
        children(of: element).reduce(into: "") { written, child in
            switch child.pointee.type {
            case XML_ELEMENT_NODE where child.pointee.children == nil: written += startTag(of: child, isEmpty: true)
            case XML_ELEMENT_NODE:
                let name = String(cString: child.pointee.name)
                written += "\(startTag(of: child, isEmpty: false))\(verbatim(child))</\(name)>"
            case XML_TEXT_NODE: written += escaped(String(cString: child.pointee.content))
            default: break
            }
        }
    }

    private func startTag(of element: xmlNodePtr, isEmpty: Bool) -> String {
        let name = String(cString: element.pointee.name)
        let attributes = sequence(first: element.pointee.properties) { $0?.pointee.next }.compactMap { attribute in
            attribute.map { " \(String(cString: $0.pointee.name))=\"\(value(of: $0))\"" }
        }
        let end =
            switch (isEmpty, PolyglotSyntax.endsItself(element)) {
            case (false, _): ">"
            case (true, true): "/>"
            case (true, false): "></\(name)>"
            }
        return "<\(name)\(attributes.sorted().joined())\(end)"
    }

    private func value(of attribute: xmlAttrPtr) -> String {
        guard let children = attribute.pointee.children,
            let text = xmlNodeListGetString(attribute.pointee.doc, children, 1)
        else { return "" }
        defer { LibXML2.free(text) }
        let value = String(cString: text)
        let isClass = String(cString: attribute.pointee.name) == "class"
        return escaped(isClass ? collapsed(value) : value).replacing("\"", with: "&quot;")
    }

    private func text(of node: xmlNodePtr) -> String {
        escaped(collapsed(String(cString: node.pointee.content)))
    }

    /// Collapses white space as HTML defines it; a no-break space does not count.
    private func collapsed(_ text: String) -> String {
        text.unicodeScalars.split { " \t\n\r\u{C}".unicodeScalars.contains($0) }.map { String($0) }
            .joined(separator: " ")
    }

    /// Writes a no-break space as its number, so that it is visible.
    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\u{A0}", with: "&#160;")
    }

    private func children(of element: xmlNodePtr) -> [xmlNodePtr] {
        sequence(first: element.pointee.children) { $0?.pointee.next }.compactMap { $0 }
    }
}

extension Markup {
    /// The canonical form of markup, which is the same for all ways of writing a page, for comparing and for reading.
    ///
    /// Each element begins a line, indented by its depth; attributes are sorted; runs of white space become one space,
    /// and none between elements, except in `pre` and `textarea`; comments are removed.
    /// - Parameters:
    ///   - html: The markup.
    ///   - kind: Whether it is a whole page or a fragment.
    /// - Returns: The canonical form, ending with a line break.
    /// - Throws: ``MarkupError`` if the markup is not well-formed.
    static func canonical(_ html: String, as kind: MarkupKind) throws(MarkupError) -> String {
        CanonicalWriter().write(try MarkupDocument(html, as: kind))
    }
}
