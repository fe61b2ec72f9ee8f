import CLibXML2

/// A parsed page or fragment, which can be queried by XPath.
///
/// Elements of HTML and SVG have their plain names, whether or not the source gives them a namespace. A fragment's
/// elements are in an element called `fragment`, which is not in the source. A document belongs to one task at a time.
public final class MarkupDocument {
    let kind: MarkupKind

    let source: SourceText
    let tree: xmlDocPtr

    /// The start tags of the source; an element's index among them is its number.
    let scan: TagScanner

    /// The elements by their id; of those that share one, the first.
    private(set) lazy var elementsByID = root.descendants.reduce(into: [String: MarkupElement]()) { found, element in
        if let id = element["id"], found[id] == nil { found[id] = element }
    }

    /// The labels by the id they name in `for`.
    private(set) lazy var labelsByTarget = root.descendants.reduce(into: [String: [MarkupElement]]()) {
        found, element in
        if element.name == "label", let target = element["for"] { found[target, default: []].append(element) }
    }

    /// Parses markup.
    /// - Parameters:
    ///   - html: The markup.
    ///   - kind: Whether it is a whole page or a fragment.
    /// - Throws: ``MarkupError`` if it is not well-formed.
    public convenience init(_ html: String, as kind: MarkupKind) throws(MarkupError) {
        try self.init(Array(html.utf8), as: kind)
    }

    init(_ bytes: [UInt8], as kind: MarkupKind) throws(MarkupError) {
        let source = SourceText(bytes)
        self.kind = kind
        self.source = source
        tree = try TreeReader(source: source, kind: kind).read()
        scan = TagScanner(bytes)
        number(tree)
    }

    deinit {
        xmlFreeDoc(tree)
    }

    /// The outermost element: `html`, or `fragment` around a fragment.
    public var root: MarkupElement { MarkupElement(node: xmlDocGetRootElement(tree), document: self) }

    /// The elements that an XPath expression selects, in the order of the source.
    /// - Parameter xpath: An XPath 1.0 expression of elements, such as `//button[@type='submit']`.
    /// - Returns: The elements; none if the expression selects something else.
    /// - Throws: ``MarkupError`` if the expression does not compile.
    public func elements(_ xpath: String) throws(MarkupError) -> [MarkupElement] {
        try XPathQuery(xpath).elements(in: self, from: root)
    }

    /// Assigns every element of a tree its number, the index of its start tag in the source.
    ///
    /// The number is stored in the node itself; 0 is the element around a fragment.
    func number(_ tree: xmlDocPtr) {
        var number = kind == .fragment ? 0 : 1
        TreeWalk.elements(of: tree) { node in
            node.pointee._private = UnsafeMutableRawPointer(bitPattern: number)
            number += 1
        }
    }

    /// The start tag of a node of this document's tree or of a numbered copy; nil for the element around a fragment.
    func tag(of node: xmlNodePtr) -> TagScanner.Tag? {
        let number = Int(bitPattern: node.pointee._private)
        return number >= 1 && number <= scan.tags.count ? scan.tags[number - 1] : nil
    }
}
