/// A page as a tree, read from markup that is well-formed, to which patches are applied as the browser's client does it.
final class PageTree {
    let name: String
    var attributes: [(name: String, value: String)]
    var children: [Child] = []

    enum Child {
        case element(PageTree)
        case text(String)
    }

    init(name: String, attributes: [(name: String, value: String)] = []) {
        self.name = name
        self.attributes = attributes
    }

    subscript(attribute: String) -> String? { attributes.first { $0.name == attribute }?.value }

    var elements: [PageTree] {
        children.compactMap { child in
            guard case .element(let element) = child else { return nil }
            return element
        }
    }

    /// The element of that id, at or below this one.
    func element(id: String) -> PageTree? {
        if self["id"] == id { return self }
        for element in elements {
            if let found = element.element(id: id) { return found }
        }
        return nil
    }

    /// The element whose child the other is.
    func parent(of child: PageTree) -> PageTree? {
        if elements.contains(where: { $0 === child }) { return self }
        return elements.lazy.compactMap { $0.parent(of: child) }.first
    }

    /// The same tree in one spelling: attributes in order, white space of no meaning left out, and no words about how long
    /// ago something was, which pass with the time of the reader.
    ///
    /// Nor how long the state that a run is in is drawn, which the client does.
    var canonical: String {
        let grows = name == "rect" && self["class"]?.hasSuffix(" open") == true && self["id"]?.hasSuffix("-x") == true
        let attributes = attributes.filter { !grows || $0.name != "width" }.sorted { $0.name < $1.name }.map {
            " \($0.name)=\"\($0.value)\""
        }.joined()
        let passes = name == "time" && (self["data-relative"] ?? self["data-since"]) != nil
        let inside = (passes ? [] : children).map { child in
            switch child {
            case .element(let element): element.canonical
            case .text(let text): text.split { $0.isWhitespace }.joined(separator: " ")
            }
        }
        return "<\(name)\(attributes)>\(inside.joined())</\(name)>\n"
    }
}
