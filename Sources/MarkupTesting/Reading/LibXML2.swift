import CLibXML2

/// The one-time initialisation of libxml2, and helpers for its C types.
enum LibXML2 {
    /// Sets up libxml2's tables before any thread uses them; safe to call from many threads.
    static func prepare() {
        _ = isPrepared
    }

    private static let isPrepared = clibxml2_prepare() == 0

    static func free(_ text: UnsafeMutablePointer<xmlChar>) {
        clibxml2_free(text)
    }

    /// A string of libxml2's error structure; empty for a null pointer.
    static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
        pointer.map { String(cString: $0) } ?? ""
    }
}

/// The errors that libxml2 reports while it works on one document, as values.
final class ErrorLog {
    struct Entry {
        var code: Int
        var line: Int
        var column: Int
        var message: String
        var names: [String]
        var node: xmlNodePtr?
    }

    /// The errors, in the order reported, up to the limit, because the first ones matter.
    private(set) var entries: [Entry] = []

    private static let limit = 200

    func add(_ entry: Entry) {
        if entries.count < Self.limit { entries.append(entry) }
    }

    /// The pointer by which C code refers to this log; the log must outlive its use.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func at(_ pointer: UnsafeMutableRawPointer?) -> ErrorLog? {
        pointer.map { Unmanaged<ErrorLog>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension ErrorLog.Entry {
    /// Copies libxml2's error, which is valid only while it is reported.
    init(_ error: xmlError) {
        code = Int(error.code)
        line = Int(error.line)
        column = Int(error.int2)
        message = LibXML2.text(error.message).split(whereSeparator: \.isNewline).joined(separator: " ")
        names = [error.str1, error.str2, error.str3].map { LibXML2.text($0) }
        node = error.node?.assumingMemoryBound(to: xmlNode.self)
    }
}

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
