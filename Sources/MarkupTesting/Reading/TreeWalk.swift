import CLibXML2

/// Visits the elements of a libxml2 tree in document order, without recursion.
enum TreeWalk {
    static func elements(of tree: xmlDocPtr, visit: (xmlNodePtr) -> Void) {
        guard let root = xmlDocGetRootElement(tree) else { return }
        visit(root)
        elements(under: root, visit: visit)
    }

    static func elements(under root: xmlNodePtr, visit: (xmlNodePtr) -> Void) {
        nodes(under: root) { node in
            if node.pointee.type == XML_ELEMENT_NODE { visit(node) }
        }
    }

    static func nodes(under root: xmlNodePtr, visit: (xmlNodePtr) -> Void) {
        var node = root.pointee.children
        while let current = node {
            visit(current)
            if current.pointee.type == XML_ELEMENT_NODE, let child = current.pointee.children {
                node = child
                continue
            }
            var end = current
            while end.pointee.next == nil, let parent = end.pointee.parent, parent != root { end = parent }
            node = end.pointee.next
            if end.pointee.parent == nil { return }
        }
    }
}
