public import Boards
public import Journals
import Operations
import States

/// Turns views of the board into HTML: whole documents, the regions in them, and the patches from change to change.
///
/// Pure: after `init` nothing is read, no clock is asked, and the same arguments give the same bytes. Nothing throws: a
/// template that is broken or missing shows a box that says so in its place.
public final class PageRenderer: Sendable {
    /// The languages there are, English first.
    public let locales: [PageLocale]

    let catalog: Catalog
    let library: TemplateLibrary
    let tables: StringTables
    private let set: TemplateSet
    private let writers: [PageLocale: PageWriter]
    private let english: PageWriter

    /// Makes a renderer.
    ///
    /// - Parameters:
    ///   - catalog: The operations that pages show.
    ///   - templates: The templates and strings.
    ///   - mountPath: Where the dashboard stands, such as `/` or `/ops`; every URL in a page begins with it.
    public init(catalog: Catalog, templates: TemplateSet, mountPath: String = "/") {
        let tables = StringTables(templates.tables)
        let library = TemplateLibrary(templates)
        let base = mountPath.hasSuffix("/") ? String(mountPath.dropLast()) : mountPath
        func writer(_ locale: PageLocale) -> PageWriter {
            let strings = tables[locale]
            return PageWriter(
                catalog: catalog, library: library, locale: locale, locales: tables.locales, strings: strings,
                format: LocaleFormat(strings.optional), base: base)
        }
        self.catalog = catalog
        self.library = library
        self.tables = tables
        set = templates
        locales = tables.locales
        english = writer(.english)
        writers = Dictionary(uniqueKeysWithValues: tables.locales.map { ($0, writer($0)) })
    }

    func writer(_ locale: PageLocale) -> PageWriter { writers[locale] ?? english }

    /// The language for a reader.
    ///
    /// - Parameters:
    ///   - choice: The tag that the reader chose before; it counts if there is such a locale.
    ///   - acceptLanguage: The header `Accept-Language`.
    /// - Returns: The choice, else the best of the header, else English.
    public func locale(choice: String?, acceptLanguage: String?) -> PageLocale {
        if let chosen = choice.flatMap({ PageLocale($0) }), locales.contains(chosen) { return chosen }
        return acceptLanguage.map(tables.best) ?? .english
    }

    /// The page of that feed; nil if the name is wrong or there is no such locale or operation.
    ///
    /// Whether there is such a run is not known here.
    public func page(feedName: some StringProtocol) -> LivePage? {
        guard let page = LivePage(feedName: feedName), locales.contains(page.locale) else { return nil }
        if case .operation(let id) = page.topic, catalog[id] == nil { return nil }
        if case .store(let id) = page.topic, !catalog.stores.contains(where: { $0.id == id }) { return nil }
        return page
    }

    /// A whole document of a live page.
    ///
    /// - Parameters:
    ///   - content: What the page shows.
    ///   - cursor: How far it has come.
    ///   - frame: The request.
    ///   - draft: What a form on the page is filled in with.
    ///   - output: What the run on a run's page has printed; nil to leave it out.
    /// - Returns: HTML that is well-formed XML too.
    public func document(
        _ content: PageContent, cursor: PageCursor, frame: PageFrame, draft: FormDraft? = nil,
        output: PageOutput? = nil
    ) -> String {
        let writer = writer(frame.locale)
        let main = writer.region(content, cursor: cursor, frame: frame, draft: draft, output: output)
        return writer.document(
            main, title: writer.title(content), section: writer.section(of: content), cursor: cursor, frame: frame)
    }

    /// A whole document of a page of the past, which is not followed and on which nothing can be done.
    ///
    /// What it shows is what was live then, byte for byte; around it are the scrubber and the news of where it stands.
    /// - Parameters:
    ///   - past: The moment.
    ///   - ahead: The change that was asked for, if there is none of that number yet.
    ///   - frame: The request.
    /// - Returns: HTML that is well-formed XML too.
    public func document(_ past: PastContent, ahead: Int64? = nil, frame: PageFrame) -> String {
        let writer = writer(frame.locale)
        var frame = frame
        frame.standing = past.standing
        return writer.document(
            writer.region(past, ahead: ahead, frame: frame), title: writer.title(past.content),
            section: writer.section(of: past.content), frame: frame)
    }

    /// Two runs of one operation, side by side.
    public func comparison(_ runs: RunComparison, frame: PageFrame) -> String {
        let writer = writer(frame.locale)
        let title = writer.title(writer.strings[.compare])
        let main = writer.region("pages/compare", writer.comparePage(runs), title: title, frame: frame)
        return writer.document(main, title: title, section: .runs, frame: frame)
    }

    /// The element `<main id="page">` of a live page: what a client that lost its place takes over.
    public func region(
        _ content: PageContent, cursor: PageCursor, frame: PageFrame, output: PageOutput? = nil
    ) -> String {
        writer(frame.locale).region(content, cursor: cursor, frame: frame, draft: nil, output: output).html
    }

    /// The element of a run's page that follows what the run prints.
    public func region(_ output: PageOutput, of run: String, locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/output", writer.output(output, of: run)).html
    }

    /// What brings the lines on a run's page from a number to the last one, in steps, each with the number it ends at.
    ///
    /// Costs rendering: ask once for each number and page, and keep the answer.
    public func patches(
        for output: OutputTail, after number: Int64, page: LivePage
    ) -> [(number: Int64, patches: [Patch])] {
        writer(page.locale).outputPatches(output, after: number)
    }

    /// What brings the page from the change before to this one; empty when the change does not show on the page.
    ///
    /// Costs rendering: ask once for each publication and page, and keep the answer.
    public func patches(for publication: Publication, page: LivePage) -> [Patch] {
        PagePatcher(writer: writer(page.locale), publication: publication).patches(page.topic)
    }

    /// The banner that says since when changes cannot be recorded: what the document's element `notice` holds meanwhile.
    public func notice(notRecordedSince since: Timestamp, locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/not-recorded", ["notRecorded": writer.moment(since)]).html
    }

    /// The list of runs for a filter other than the empty one, for which `document(.runs(…))` is live.
    public func runs(_ page: RunPage, filter: RunFilter, frame: PageFrame) -> String {
        let writer = writer(frame.locale)
        let older = page.next.map { writer.url(filter.older(than: $0)) }
        let fields = writer.runsPage(page.runs, filter: filter, olderURL: older)
        return document(writer, "pages/runs", fields, writer.strings[.runs], .runs, frame)
    }

    /// The page of a start form alone, with the mistakes beside the fields and what was typed kept.
    ///
    /// Not live.
    public func startForm(operation: String, draft: FormDraft, frame: PageFrame) -> String {
        let writer = writer(frame.locale)
        let fields = writer.startPage(operation, draft: draft)
        return document(writer, "pages/start", fields, writer.title(of: operation), .operations, frame)
    }

    /// A store as it stood after an earlier change.
    ///
    /// Not live.
    /// - Parameters:
    ///   - view: The store as it stood.
    ///   - latest: The store as it stands.
    ///   - next: The store's change after the one that the view shows; nil when there is none.
    ///   - frame: The request.
    /// - Returns: The document.
    public func past(_ view: StoreView, latest: StoreView, next: Int64?, frame: PageFrame) -> String {
        let writer = writer(frame.locale)
        let past = PageWriter.StorePast(latest: latest, next: next)
        var frame = frame
        frame.standing = view.log.first.map { PageFrame.Standing(sequence: $0.sequence, at: $0.at) }
        let title = writer.title(.store(view))
        let main = writer.region(
            "pages/store", writer.storePage(view, past: past, draft: nil), title: title, frame: frame)
        return writer.document(main, title: title, section: .stores, frame: frame)
    }

    /// Every sample of every operation, side by side.
    public func gallery(frame: PageFrame) -> String {
        let writer = writer(frame.locale)
        return document(writer, "pages/gallery", writer.gallery(), writer.strings[.gallery], .gallery, frame)
    }

    /// What the server is and how it does.
    public func system(_ facts: SystemFacts, frame: PageFrame) -> String {
        let writer = writer(frame.locale)
        return document(writer, "pages/system", writer.systemPage(facts), writer.strings[.system], .system, frame)
    }

    /// A problem as a page.
    public func problem(_ problem: PageProblem, frame: PageFrame) -> String {
        let writer = writer(frame.locale)
        return document(writer, "pages/problem", writer.problemPage(problem), problem.title, .none, frame)
    }

    /// Everything that is wrong with templates, cases and strings, by file and line; empty when all is well.
    public func check() -> [TemplateProblem] {
        TemplateCheck(catalog: catalog, set: set, library: library, tables: tables).problems()
    }

    private func document(
        _ writer: PageWriter, _ template: String, _ fields: Fields, _ words: String, _ section: PageWriter.Section,
        _ frame: PageFrame
    ) -> String {
        let title = writer.title(words)
        let main = writer.region(template, fields, title: title, frame: frame)
        return writer.document(main, title: title, section: section, frame: frame)
    }
}
