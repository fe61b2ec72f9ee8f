import CLibXML2

/// Parses a source into a tree of libxml2, or reports every syntax error.
///
/// The limits are libxml2's own (256 levels, 10 MB of text in one node). Entities cannot be declared, so none can be
/// loaded or expanded.
struct TreeReader {
    let source: SourceText
    let kind: MarkupKind

    static let rule = "well-formed"

    /// The text before a fragment, which makes it one element; on the first line it shifts columns by its length.
    private static let opening = Array("<fragment>".utf8)
    private static let closing = Array("</fragment>".utf8)

    func read() throws(MarkupError) -> xmlDocPtr {
        if let offset = offsetOfInvalidUTF8 {
            throw failure("The text is not valid UTF-8 here. Encode the page in UTF-8.", at: offset)
        }
        LibXML2.prepare()
        let bytes = kind == .fragment ? Self.opening + source.bytes + Self.closing : source.bytes
        guard let count = Int32(exactly: bytes.count), let context = xmlNewParserCtxt() else {
            throw failure("The markup is too large to read: \(bytes.count) bytes.", at: 0)
        }
        defer { xmlFreeParserCtxt(context) }
        let log = ErrorLog()
        listen(to: context, into: log)
        let options = XML_PARSE_NONET.rawValue | XML_PARSE_NOCDATA.rawValue | XML_PARSE_BIG_LINES.rawValue
        let tree = withExtendedLifetime(log) {
            bytes.withUnsafeBytes { buffer in
                xmlCtxtReadMemory(
                    context, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count, nil, "UTF-8",
                    Int32(options))
            }
        }
        guard let tree, log.entries.isEmpty else {
            xmlFreeDoc(tree)
            throw MarkupError(problems: problems(from: log))
        }
        stripNamespaces(of: tree)
        return tree
    }

    /// Collects the parser's errors, and stops it where an entity is declared.
    private func listen(to parser: xmlParserCtxtPtr, into log: ErrorLog) {
        clibxml2_listen(
            parser, log.pointer,
            { parser, error in
                guard let error, let parser = parser?.assumingMemoryBound(to: xmlParserCtxt.self) else { return }
                ErrorLog.at(parser.pointee._private)?.add(ErrorLog.Entry(error.pointee))
            },
            { parser, name, _, _, _, _ in
                guard let parser = parser?.assumingMemoryBound(to: xmlParserCtxt.self) else { return }
                let entity = name.map { String(cString: $0) } ?? ""
                ErrorLog.at(parser.pointee._private)?.add(
                    ErrorLog.Entry(
                        code: SyntaxSentence.entityDeclared, line: Int(clibxml2_line(parser)),
                        column: Int(clibxml2_column(parser)), message: "", names: [entity], node: nil))
                clibxml2_stop(parser)
            })
    }

    /// The parser's errors, without the consequences of an earlier error.
    private func problems(from log: ErrorLog) -> [MarkupProblem] {
        let first = log.entries.firstIndex { $0.losesPlace }
        let told = log.entries.indices.filter { !log.entries[$0].losesPlace || $0 == first }.map { index in
            let entry = log.entries[index]
            let shift = kind == .fragment && entry.line == 1 ? Self.opening.count : 0
            return source.problem(
                SyntaxSentence(entry, kind: kind).text, rule: Self.rule,
                at: source.offset(line: entry.line, column: entry.column - shift))
        }
        return told.isEmpty ? [source.problem("The markup could not be read.", rule: Self.rule, at: 0)] : told
    }

    private func failure(_ sentence: String, at offset: Int) -> MarkupError {
        MarkupError(problems: [source.problem(sentence, rule: Self.rule, at: offset)])
    }

    private var offsetOfInvalidUTF8: Int? {
        guard String(validating: source.bytes, as: UTF8.self) == nil else { return nil }
        var decoder = UTF8()
        var bytes = source.bytes.makeIterator()
        var offset = 0
        while case .scalarValue(let scalar) = decoder.decode(&bytes) { offset += UTF8.width(scalar) }
        return offset
    }

    /// Gives plain names to elements in the namespaces that an HTML parser assigns implicitly.
    private func stripNamespaces(of tree: xmlDocPtr) {
        let known: Set = ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"]
        TreeWalk.elements(of: tree) { node in
            guard let namespace = node.pointee.ns, namespace.pointee.prefix == nil,
                let href = namespace.pointee.href, known.contains(String(cString: href))
            else { return }
            node.pointee.ns = nil
        }
    }
}

extension UTF8 {
    fileprivate static func width(_ scalar: Unicode.Scalar) -> Int {
        UTF8.encode(scalar)?.count ?? 0
    }
}

/// A syntax error of libxml2 as a sentence that says what to do.
struct SyntaxSentence {
    let text: String

    /// A code of our own, beside libxml2's: an entity is declared.
    static let entityDeclared = -1

    init(_ entry: ErrorLog.Entry, kind: MarkupKind) {
        let name = entry.names[0]
        let other = entry.names.count > 1 ? entry.names[1] : ""
        let around = { (element: String) in element == "fragment" && kind == .fragment }
        text =
            switch UInt32(clamping: entry.code) {
            case _ where entry.code == Self.entityDeclared:
                "Entities cannot be declared in a page (\(name)). The document type is exactly <!DOCTYPE html>."
            case XML_ERR_UNDECLARED_ENTITY.rawValue, XML_WAR_UNDECLARED_ENTITY.rawValue:
                "The entity &\(name); has no meaning in XML. Write the character or its number (&#160; for &nbsp;)."
            case XML_ERR_TAG_NAME_MISMATCH.rawValue where around(name):
                "</\(other)> closes nothing."
            case XML_ERR_TAG_NAME_MISMATCH.rawValue where around(other):
                "<\(name)> is not closed."
            case XML_ERR_TAG_NAME_MISMATCH.rawValue:
                "<\(name)> is open, but </\(other)> follows. Close <\(name)> first; a void element is closed as <br/>."
            case XML_ERR_TAG_NOT_FINISHED.rawValue, XML_ERR_DOCUMENT_END.rawValue:
                "The markup ends before everything in it is closed."
            case XML_ERR_DOCUMENT_EMPTY.rawValue:
                "There is no element here."
            case XML_ERR_ATTRIBUTE_REDEFINED.rawValue:
                "The attribute \(name) is given twice."
            case XML_ERR_ATTRIBUTE_NOT_STARTED.rawValue:
                "An attribute's value must be in quotes."
            case XML_ERR_ATTRIBUTE_WITHOUT_VALUE.rawValue:
                "The attribute \(name) has no value. Write \(name)=\"\(name)\"."
            case XML_ERR_LT_IN_ATTRIBUTE.rawValue:
                "A < in an attribute's value must be written as &lt;."
            case XML_ERR_NAME_REQUIRED.rawValue:
                "A name is expected here. A < or & that begins no name must be written as &lt; or &amp;."
            case XML_ERR_SPACE_REQUIRED.rawValue:
                "A space is expected between attributes."
            case XML_ERR_GT_REQUIRED.rawValue:
                "A tag is not ended by > here."
            case XML_ERR_HYPHEN_IN_COMMENT.rawValue:
                "A comment cannot have -- in it."
            case XML_ERR_MISPLACED_CDATA_END.rawValue:
                "The characters ]]> must be written as ]]&gt;."
            case XML_ERR_ENTITYREF_SEMICOL_MISSING.rawValue:
                "A & must be written as &amp;, or begin an entity that ends with a semicolon."
            case XML_ERR_INVALID_CHAR.rawValue:
                "There is a control character here that is not allowed in a page."
            case XML_NS_ERR_UNDEFINED_NAMESPACE.rawValue:
                "The prefix of \(name):\(other) is unknown. Names in pages have none."
            case XML_ERR_INTERNAL_ERROR.rawValue where entry.message.contains("depth"):
                "The elements are nested too deeply (more than 256 levels)."
            case XML_ERR_INTERNAL_ERROR.rawValue where entry.message.contains("Huge"):
                "A text in the page is longer than 10 MB."
            default:
                entry.message
            }
    }
}

extension ErrorLog.Entry {
    /// Whether the parser loses its position with this error, so that its next errors about tags are only consequences.
    var losesPlace: Bool {
        [
            XML_ERR_TAG_NAME_MISMATCH, XML_ERR_TAG_NOT_FINISHED, XML_ERR_DOCUMENT_END, XML_ERR_INTERNAL_ERROR,
            XML_ERR_GT_REQUIRED, XML_ERR_NAME_REQUIRED, XML_ERR_ATTRIBUTE_NOT_STARTED, XML_ERR_ATTRIBUTE_NOT_FINISHED,
            XML_ERR_ATTRIBUTE_WITHOUT_VALUE, XML_ERR_LT_IN_ATTRIBUTE, XML_ERR_SPACE_REQUIRED,
        ].contains(xmlParserErrors(UInt32(clamping: code))) && !isAmpersand
    }

    /// Whether the name that is missing is an entity's.
    private var isAmpersand: Bool { message.hasPrefix("xmlParseEntityRef") }
}
