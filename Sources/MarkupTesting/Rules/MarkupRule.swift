/// A rule for good pages, and how to find where a page breaks it.
///
/// Write your own as a small type, and pass it with the built-in ones: `Markup.check(html, as: .document, rules: .all +
/// [EveryFormHasToken()])`. Leave rules out with `.all.without("heading-order")`.
public protocol MarkupRule: Sendable {
    /// The name that problems carry, such as `unique-ids`.
    var name: String { get }

    /// Whether the rule does not apply to fragments, because it concerns a page as a whole.
    var isForDocumentsOnly: Bool { get }

    /// The places where the document breaks the rule, in any order.
    /// - Parameter document: The markup, well-formed.
    /// - Returns: One problem for each place.
    /// - Throws: Any error that prevents the check, such as an XPath expression that does not compile.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem]
}

extension MarkupRule {
    /// Whether the rule does not apply to fragments: false by default.
    public var isForDocumentsOnly: Bool { false }
}

extension [any MarkupRule] {
    /// Every built-in rule.
    public static var all: [any MarkupRule] {
        [
            UniqueIDs(), ReferencesResolve(), AttributeValues(), Nesting(),
            ControlsLabelled(), ControlsNamed(), GaugesNamed(), PicturesDescribed(), TableHeaders(),
            NoInlineCode(), NaturalTabOrder(), SingleMain(), HeadingOrder(), PageLanguage(), PageTitle(),
        ]
    }

    /// The rules without the given ones, such as `.all.without("heading-order")`.
    /// - Parameter unwanted: The names of the rules to leave out.
    /// - Returns: The other rules, in the same order.
    public func without(_ unwanted: String...) -> [any MarkupRule] {
        filter { !unwanted.contains($0.name) }
    }
}

struct PageTitle: MarkupRule {
    var name: String { "page-title" }

    var isForDocumentsOnly: Bool { true }

    init() {}

    /// The page, if its head has no title with text.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("/html/head/title[normalize-space()]").isEmpty
            ? [document.root.problem("The page has no title. Write one into its <head>.", of: self)] : []
    }
}

struct PageLanguage: MarkupRule {
    var name: String { "page-language" }

    var isForDocumentsOnly: Bool { true }

    init() {}

    /// The `html` element, if it has no `lang`.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        (document.root["lang"] ?? "").collapsed.isEmpty
            ? [document.root.problem("<html> has no language. Write lang=\"en\", or the actual language.", of: self)]
            : []
    }
}

/// A page has at most one main part.
struct SingleMain: MarkupRule {
    var name: String { "single-main" }

    init() {}

    /// Every visible `main` after the first.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//*[self::main or @role='main'][not(@hidden)]").dropFirst().map { element in
            element.problem("This is a second main part. A page has one, apart from hidden ones.", of: self)
        }
    }
}

/// Headings go down one level at a time, and a page's first one is `h1`.
struct HeadingOrder: MarkupRule {
    var name: String { "heading-order" }

    init() {}

    /// The headings that skip a level; for a document also a first one that is not `h1`.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        var problems: [MarkupProblem] = []
        var last: Int? = document.kind == .document ? 0 : nil
        let headings = "//h1 | //h2 | //h3 | //h4 | //h5 | //h6 | //*[@role='heading']"
        for heading in try document.elements(headings) {
            let level = heading["aria-level"].flatMap { Int($0) } ?? Int(heading.name.dropFirst()) ?? 2
            if let last, level > last + 1 {
                let before = last == 0 ? "is the first of the page: it must be an h1" : "follows a level \(last)"
                problems.append(heading.problem("A heading of level \(level) \(before).", of: self))
            }
            last = level
        }
        return problems
    }
}

/// Every table has header cells, unless it is marked as layout.
struct TableHeaders: MarkupRule {
    var name: String { "table-headers" }

    init() {}

    /// The tables without a `th`.
    func problems(in document: MarkupDocument) throws -> [MarkupProblem] {
        try document.elements("//table[not(.//th) and not(@role='presentation' or @role='none')]").map { element in
            element.problem("<table> has no header cells. Use <th scope=\"col\"> or <th scope=\"row\">.", of: self)
        }
    }
}
