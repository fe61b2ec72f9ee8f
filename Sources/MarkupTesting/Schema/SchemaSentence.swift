import CLibXML2

/// A validation error of libxml2 as a sentence, and the element it is about.
struct SchemaSentence {
    private let text: String
    private let node: xmlNodePtr?

    init(_ entry: ErrorLog.Entry) {
        let name = entry.names[0]
        let found = entry.node
        let parent = found?.pointee.parent.flatMap { $0.pointee.type == XML_ELEMENT_NODE ? $0 : nil }
        let place = parent.map { Self.describe($0) } ?? "a page"
        node = found
        switch xmlRelaxNGValidErr(UInt32(clamping: entry.code)) {
        case XML_RELAXNG_ERR_INVALIDATTR:
            let value = found.flatMap { Self.value(of: name, on: $0) } ?? ""
            text =
                "<\(entry.names[1])> cannot have \(name)=\"\(value)\": the attribute or the value is unknown."
        case XML_RELAXNG_ERR_ELEMWRONG, XML_RELAXNG_ERR_ELEMNAME, XML_RELAXNG_ERR_ELEMNOTEMPTY:
            text = "<\(name)> is not allowed here in \(place)."
        case XML_RELAXNG_ERR_EXTRACONTENT:
            text = "<\(entry.names[1])> is not allowed here in \(place)."
        case XML_RELAXNG_ERR_TEXTWRONG:
            text = "Text is not allowed directly in <\(name)>."
        case XML_RELAXNG_ERR_NOELEM:
            let wanted = name.isEmpty ? "elements it must have" : "<\(name)>"
            text = "\(found.map { Self.describe($0) } ?? "The page") lacks \(wanted)."
        case XML_RELAXNG_ERR_ATTRVALID:
            text = "<\(name)> lacks a required attribute, or has an attribute with a wrong value."
        default:
            text = "\(found.map { Self.describe($0) } ?? "The page") does not match the schema. \(entry.message)"
        }
    }

    func problem(in document: MarkupDocument) -> MarkupProblem {
        guard let node else { return document.source.problem(text, rule: MarkupSchema.rule, at: 0) }
        return document.problem(text, rule: MarkupSchema.rule, at: node)
    }

    private static func describe(_ node: xmlNodePtr) -> String {
        let name = String(cString: node.pointee.name)
        return name == "fragment" ? "the fragment" : "<\(name)>"
    }

    private static func value(of attribute: String, on node: xmlNodePtr) -> String? {
        guard let value = xmlGetNoNsProp(node, attribute) else { return nil }
        defer { LibXML2.free(value) }
        return String(String(cString: value).prefix(60))
    }
}

extension ErrorLog.Entry {
    /// Whether this is only a consequence of another error: an element is invalid because a descendant is.
    var isSchemaConsequence: Bool {
        [
            XML_RELAXNG_ERR_CONTENTVALID, XML_RELAXNG_ERR_INTERSEQ, XML_RELAXNG_ERR_INTERNODATA,
            XML_RELAXNG_ERR_INTEREXTRA, XML_RELAXNG_ERR_EXTRADATA,
        ].contains(xmlRelaxNGValidErr(UInt32(clamping: code)))
    }
}
