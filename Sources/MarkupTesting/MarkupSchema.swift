import CLibXML2
import Foundation

/// A compiled RELAX NG schema, one for pages and one for fragments; the grammars are in `Schemas`.
///
/// A schema never changes once it is compiled, so any number of threads can validate with it at once.
final class MarkupSchema: @unchecked Sendable {
    private let schema: xmlRelaxNGPtr

    static let rule = "schema"

    /// The schema of whole pages, or of fragments.
    static func of(_ kind: MarkupKind) -> Result<MarkupSchema, MarkupError> {
        kind == .document ? page : fragment
    }

    private static let page = compiled("page")
    private static let fragment = compiled("fragment")

    private static func compiled(_ name: String) -> Result<MarkupSchema, MarkupError> {
        let file = Bundle.module.url(forResource: name, withExtension: "rng", subdirectory: "Schemas")
        do {
            return .success(try MarkupSchema(path: file?.path ?? "\(name).rng"))
        } catch {
            return .failure(error)
        }
    }

    init(path: String) throws(MarkupError) {
        LibXML2.prepare()
        let log = ErrorLog()
        let context = xmlRelaxNGNewParserCtxt(path)
        defer { xmlRelaxNGFreeParserCtxt(context) }
        xmlRelaxNGSetParserStructuredErrors(
            context,
            { log, error in
                guard let error else { return }
                ErrorLog.at(log)?.add(ErrorLog.Entry(error.pointee))
            }, log.pointer)
        guard let schema = withExtendedLifetime(log, { xmlRelaxNGParse(context) }) else {
            let reasons = log.entries.map(\.message)
            throw MarkupError(
                problems: (reasons.isEmpty ? ["The schema cannot be read."] : reasons).map {
                    MarkupProblem(line: 1, column: 1, sentence: $0, rule: Self.rule)
                })
        }
        self.schema = schema
    }

    deinit {
        xmlRelaxNGFree(schema)
    }

    /// Where a document does not match the schema.
    func problems(in document: MarkupDocument) -> [MarkupProblem] {
        guard let copy = xmlCopyDoc(document.tree, 1) else { return [] }
        defer { xmlFreeDoc(copy) }
        document.number(copy)
        stripData(of: copy)
        let told = errors(in: copy)
        let causes = told.filter { !$0.isSchemaConsequence }
        return (causes.isEmpty ? told : causes)
            .flatMap { $0.node == nil ? SchemaCulprits(of: $0, in: copy, schema: self).entries : [$0] }
            .reduce(into: []) { problems, entry in
                let problem = SchemaSentence(entry).problem(in: document)
                if !problems.contains(problem) { problems.append(problem) }
            }
    }

    /// The errors that libxml2 reports about a tree.
    func errors(in tree: xmlDocPtr) -> [ErrorLog.Entry] {
        let log = ErrorLog()
        let context = xmlRelaxNGNewValidCtxt(schema)
        defer { xmlRelaxNGFreeValidCtxt(context) }
        xmlRelaxNGSetValidStructuredErrors(
            context,
            { log, error in
                guard let error else { return }
                ErrorLog.at(log)?.add(ErrorLog.Entry(error.pointee))
            }, log.pointer)
        let result = withExtendedLifetime(log) { xmlRelaxNGValidateDoc(context, tree) }
        guard result != 0, log.entries.isEmpty else { return log.entries }
        return [ErrorLog.Entry(code: 0, line: 1, column: 1, message: "", names: [""], node: xmlDocGetRootElement(tree))]
    }

    /// Removes `data-*`, because libxml2's RELAX NG cannot express "any name with this prefix".
    private func stripData(of tree: xmlDocPtr) {
        TreeWalk.elements(of: tree) { node in
            var attribute = node.pointee.properties
            while let current = attribute {
                attribute = current.pointee.next
                if String(cString: current.pointee.name).hasPrefix("data-") { xmlRemoveProp(current) }
            }
        }
    }
}

/// Finds the elements that an error is about, when libxml2 reports only their name.
///
/// This is the case for a missing attribute. Each element with that name is then validated alone, without its content,
/// in the places where such an element is allowed.
struct SchemaCulprits {
    /// The error, repeated for each element it concerns; unchanged if no element is found.
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
