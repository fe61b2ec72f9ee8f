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

    /// Gives plain names to elements in the namespaces that an HTML parser assigns by itself.
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
