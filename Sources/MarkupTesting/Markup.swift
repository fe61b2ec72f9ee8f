/// Checks that HTML is well-formed, matches the schema of pages, and follows the rules of good pages.
///
/// Markup must follow XML's syntax as well as HTML's: void elements are closed (`<br/>`), attributes quoted, entities
/// numeric (`&#160;`). Nothing here accesses the network, loads an entity, or prints. Every function may be called from
/// any thread.
public enum Markup {
    /// Every problem of a page or fragment, in the order of the source; empty if there is none.
    ///
    /// For markup that is not well-formed, only those problems are returned, because there is no tree for the other
    /// checks.
    /// - Parameters:
    ///   - html: The markup.
    ///   - kind: Whether it is a whole page or a fragment.
    ///   - rules: The rules to check, besides syntax and schema. Rules for documents do not apply to fragments.
    /// - Returns: The problems, sorted by line and column.
    public static func check(
        _ html: String, as kind: MarkupKind, rules: [any MarkupRule] = .all
    ) -> [MarkupProblem] {
        check(Array(html.utf8), as: kind, rules: rules)
    }

    /// Every problem of markup given as bytes, which may not be UTF-8.
    /// - Parameters:
    ///   - bytes: The markup, as it is sent.
    ///   - kind: Whether it is a whole page or a fragment.
    ///   - rules: The rules to check, besides syntax and schema.
    /// - Returns: The problems, sorted by line and column.
    package static func check(
        _ bytes: [UInt8], as kind: MarkupKind, rules: [any MarkupRule] = .all
    ) -> [MarkupProblem] {
        do {
            let document = try MarkupDocument(bytes, as: kind)
            return
                (PolyglotSyntax().problems(in: document) + schemaProblems(of: document)
                + rules.flatMap { problems(of: document, by: $0) })
                .sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        } catch {
            return error.problems
        }
    }

    /// Throws all problems of a page or fragment as one error, so that a test can simply `try` it.
    /// - Parameters:
    ///   - html: The markup.
    ///   - kind: Whether it is a whole page or a fragment.
    ///   - rules: The rules to check, besides syntax and schema.
    /// - Throws: ``MarkupError`` with every problem, if there is one.
    public static func validate(
        _ html: String, as kind: MarkupKind, rules: [any MarkupRule] = .all
    ) throws(MarkupError) {
        let problems = check(html, as: kind, rules: rules)
        guard problems.isEmpty else { throw MarkupError(problems: problems) }
    }

    private static func schemaProblems(of document: MarkupDocument) -> [MarkupProblem] {
        do {
            return try MarkupSchema.of(document.kind).get().problems(in: document)
        } catch {
            return error.problems
        }
    }

    private static func problems(of document: MarkupDocument, by rule: any MarkupRule) -> [MarkupProblem] {
        guard document.kind == .document || !rule.isForDocumentsOnly else { return [] }
        do {
            return try rule.problems(in: document)
        } catch {
            return [
                MarkupProblem(line: 1, column: 1, sentence: "The rule could not be checked: \(error)", rule: rule.name)
            ]
        }
    }
}

/// The kind of markup: a whole page, or a fragment.
public enum MarkupKind: Sendable, Hashable {
    /// A whole page: `<!DOCTYPE html>` and one `html` element.
    case document

    /// A fragment: text and flow elements, or a sequence of elements that need a parent (`li`, `tr`, `option`).
    case fragment
}
