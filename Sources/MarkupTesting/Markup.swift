/// Checks that HTML is well-formed, matches the schema of pages, and follows the rules of good pages.
///
/// Markup must follow XML's syntax as well as HTML's: void elements are closed (`<br/>`), attributes quoted, entities
/// numeric (`&#160;`). Nothing here accesses the network, loads an entity, or prints. Every function may be called from
/// any thread.
public enum Markup {
    /// Every problem of a page or fragment, in the order of the source.
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

    static func check(
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

/// One mistake in markup, and where it is.
public struct MarkupProblem: Sendable, Hashable, CustomStringConvertible {
    /// The line it is on, from 1.
    public var line: Int

    /// The character of that line at which it begins, from 1.
    public var column: Int

    /// The problem and its remedy, as a sentence.
    public var sentence: String

    /// The name of the broken rule: `well-formed`, `schema`, or a ``MarkupRule``'s name.
    public var rule: String

    /// The source around the place, on one line; empty if unknown.
    public var excerpt: String = ""

    /// The problem as `line:column: sentence (rule)`.
    public var description: String { "\(line):\(column): \(sentence) (\(rule))" }
}

/// An error with every problem found in markup.
public struct MarkupError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problems, in the order of the source.
    public var problems: [MarkupProblem]

    /// Every problem on a line of its own, followed by the source around it.
    public var description: String {
        problems
            .map { $0.excerpt.isEmpty ? $0.description : "\($0)\n    \($0.excerpt)" }
            .joined(separator: "\n")
    }
}
