import CLibXML2

/// Finds the elements that an error is about, when libxml2 reports only their name.
///
/// This is the case for a missing attribute. Each element with that name is then validated alone, without its content,
/// in the places where such an element is allowed.
struct SchemaCulprits {
    /// The error, once for each element it is about; unchanged if there is none.
    let entries: [ErrorLog.Entry]

    private static let places = [
        (markup: "<fragment/>", parent: "fragment"),
        (markup: "<fragment><svg/></fragment>", parent: "svg"),
        (markup: "<html><head><title/></head><body/></html>", parent: "head"),
    ]

    init(of entry: ErrorLog.Entry, in tree: xmlDocPtr, schema: MarkupSchema) {
        var candidates: [xmlNodePtr] = []
        TreeWalk.elements(of: tree) { node in
            if String(cString: node.pointee.name) == entry.names[0] { candidates.append(node) }
        }
        let culprits = candidates.filter { candidate in
            Self.places.contains { place in
                Self.errors(of: candidate, in: place, schema: schema).contains { $0.code == entry.code }
            }
        }
        let located = culprits.isEmpty ? Array(candidates.prefix(1)) : culprits
        entries =
            located.isEmpty
            ? [entry]
            : located.map { node in
                var entry = entry
                entry.node = node
                return entry
            }
    }

    private static func errors(
        of node: xmlNodePtr, in place: (markup: String, parent: String), schema: MarkupSchema
    ) -> [ErrorLog.Entry] {
        guard let count = Int32(exactly: place.markup.utf8.count),
            let tree = xmlReadMemory(place.markup, count, nil, "UTF-8", 0)
        else { return [] }
        defer { xmlFreeDoc(tree) }
        var parent: xmlNodePtr?
        TreeWalk.elements(of: tree) { element in
            if String(cString: element.pointee.name) == place.parent { parent = element }
        }
        guard let parent, let copy = xmlDocCopyNode(node, tree, 2) else { return [] }
        xmlAddChild(parent, copy)
        return schema.errors(in: tree)
    }
}
