public import Boards
public import Journals
import Operations
import States

/// Turns views of the board into HTML: whole documents, the regions in them, and the patches from change to change.
///
/// Pure: after `init` nothing is read, no clock is asked, and the same arguments give the same bytes. Nothing throws: a
/// template that is broken or missing shows a box that says so in its place.
public final class PageRenderer: Sendable {
    let catalog: Catalog

    /// Makes a renderer.
    /// - Parameter mountPath: Where the dashboard stands, such as `/` or `/ops`; every URL in a page begins with it.
    public init(catalog: Catalog, templates: TemplateSet, mountPath: String = "/") {
        self.catalog = catalog
    }

    /// The languages there are, English first.
    public var locales: [PageLocale] { [.english, .brazilianPortuguese] }

    /// The language for a reader: the chosen one (a cookie's or parameter's value) if there is such, else the best of `Accept-Language`.
    public func locale(choice: String?, acceptLanguage: String?) -> PageLocale { .english }

    /// The page of that feed; nil if the name is wrong or there is no such locale or operation. A run's existence is not checked.
    public func page(feedName: some StringProtocol) -> LivePage? { LivePage(feedName: feedName) }

    /// A whole document of a live page.
    /// - Parameter draft: What the page's start form is filled in with, on an operation's page.
    public func document(
        _ content: PageContent, cursor: PageCursor, frame: PageFrame, draft: FormDraft? = nil
    ) -> String { "" }

    /// The element `<main id="page">` of a live page: what a client that lost its place takes over.
    public func region(_ content: PageContent, locale: PageLocale) -> String { "" }

    /// What brings the page from the change before to this one; empty when the change does not show on the page.
    ///
    /// Costs rendering: ask once for each publication and page, and keep the answer.
    public func patches(for publication: Publication, page: LivePage) -> [Patch] { [] }

    /// The list of runs for a query other than the newest of all (for which `document(.runs(…))` is live).
    public func runs(_ page: RunPage, query: RunQuery, frame: PageFrame) -> String { "" }

    /// The page of one operation's start form alone, with the mistakes beside the fields and what was typed kept. Not live.
    public func startForm(operation: String, draft: FormDraft, frame: PageFrame) -> String { "" }

    /// Every sample of every operation, side by side.
    public func gallery(frame: PageFrame) -> String { "" }

    /// What the server is and how it does.
    public func system(_ facts: SystemFacts, frame: PageFrame) -> String { "" }

    /// A problem as a page.
    public func problem(_ problem: PageProblem, frame: PageFrame) -> String { "" }

    /// Everything that is wrong with templates, cases and strings, by file and line; empty when all is well.
    public func check() -> [TemplateProblem] { [] }
}
