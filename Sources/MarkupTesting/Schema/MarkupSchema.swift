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

    /// Compiles a schema.
    /// - Parameter path: The file of the grammar; the files it includes are beside it.
    /// - Throws: ``MarkupError`` with the mistakes in the grammar.
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
