package import WeirAccess
package import WeirBoards
package import WeirJournals
package import WeirStates

/// Renders views of the board as HTML: whole documents, their regions, and the patches from change to change.
///
/// Rendering is pure: after `init` it reads no files and no clock, and equal arguments give equal pages. Nothing throws: a
/// broken or missing template is replaced by a box with the error.
package final class PageRenderer: Sendable {
    package let locales: [PageLocale]

    let catalog: Catalog
    let library: TemplateLibrary
    let tables: StringTables
    private let set: TemplateSet
    let renderings = LatestRenderings()
    private let steps: StepCache
    /// The permissions of the pages' readers; actions beyond them are omitted.
    package let permissions: Permissions
    private let base: String
    private let assets: String
    private let offersLinks: Bool
    private let writers: [PageLocale: PageWriter]
    private let english: PageWriter

    /// Creates a renderer.
    ///
    /// - Parameters:
    ///   - catalog: The operations and stores that pages show.
    ///   - templates: The templates and strings.
    ///   - mountPath: The path of the dashboard, such as `/` or `/ops`; every URL in a page begins with it.
    ///   - assetFolder: The folder below `assets` in the URLs of the files of `Public`, or nil for none.
    ///   - offersLinks: Whether a run's page leads to its share links.
    package convenience init(
        catalog: Catalog, templates: TemplateSet, mountPath: String = "/", assetFolder: String? = nil,
        offersLinks: Bool = false
    ) {
        let base = mountPath.hasSuffix("/") ? String(mountPath.dropLast()) : mountPath
        self.init(
            catalog: catalog, set: templates, library: TemplateLibrary(templates),
            tables: StringTables(templates.tables), base: base,
            assets: base + "/assets" + (assetFolder.map { "/" + $0 } ?? ""), permissions: .everything,
            offersLinks: offersLinks, steps: StepCache())
    }

    /// A renderer for another catalog and other templates at the same mount path.
    package func showing(_ catalog: Catalog, templates: TemplateSet) -> PageRenderer {
        PageRenderer(
            catalog: catalog, set: templates, library: TemplateLibrary(templates),
            tables: StringTables(templates.tables), base: base, assets: assets, permissions: permissions,
            offersLinks: offersLinks, steps: StepCache())
    }

    /// A renderer for readers who may see part of the catalog, with other permissions.
    ///
    /// Creating it is cheap, because templates and strings are shared.
    package func restricted(to catalog: Catalog, permissions: Permissions) -> PageRenderer {
        PageRenderer(
            catalog: catalog, set: set, library: library, tables: tables, base: base, assets: assets,
            permissions: permissions, offersLinks: offersLinks, steps: steps)
    }

    private init(
        catalog: Catalog, set: TemplateSet, library: TemplateLibrary, tables: StringTables, base: String,
        assets: String, permissions: Permissions, offersLinks: Bool, steps: StepCache
    ) {
        let stepMarkup = StepMarkup()
        func writer(_ locale: PageLocale) -> PageWriter {
            let strings = tables[locale]
            return PageWriter(
                catalog: catalog, library: library, locale: locale, locales: tables.locales, strings: strings,
                format: LocaleFormat(strings.optional), base: base, assets: assets,
                permissions: permissions, offersLinks: offersLinks, steps: steps, stepMarkup: stepMarkup)
        }
        self.steps = steps
        self.permissions = permissions
        self.base = base
        self.assets = assets
        self.offersLinks = offersLinks
        self.catalog = catalog
        self.library = library
        self.tables = tables
        self.set = set
        locales = tables.locales
        english = writer(.english)
        writers = Dictionary(tables.locales.map { ($0, writer($0)) }) { $1 }
    }

    func writer(_ locale: PageLocale) -> PageWriter { writers[locale] ?? english }

    /// The writer of a page that shows a moment, relative to which times are written.
    func writer(_ locale: PageLocale, at now: Timestamp?) -> PageWriter {
        var writer = writer(locale)
        // In whole seconds: relative times are no more precise, and one document serves all requests of a second.
        writer.format.now = now.map(\.wholeSecond)
        return writer
    }

    func writer(_ frame: PageFrame) -> PageWriter {
        var writer = writer(frame.locale, at: frame.pastMoment?.at ?? frame.clock)
        writer.paused = frame.pausedSchedules
        writer.acknowledged = frame.acknowledged
        writer.withoutStart = frame.withoutStart
        return writer
    }

    /// The language for a reader.
    ///
    /// - Parameters:
    ///   - choice: The tag that the reader chose before; ignored if there is no such locale.
    ///   - acceptLanguage: The header `Accept-Language`.
    /// - Returns: The choice, else the best match of the header, else English.
    package func locale(choice: String?, acceptLanguage: String?) -> PageLocale {
        if let chosen = choice.flatMap({ PageLocale($0) }), locales.contains(chosen) { return chosen }
        return acceptLanguage.map(tables.best) ?? .english
    }

    /// The page of a feed, or nil if the name is invalid or its locale, operation or store does not exist or must not be
    /// seen.
    ///
    /// This does not check that a run exists.
    package func page(feedName: some StringProtocol) -> LivePage? {
        guard let page = LivePage(feedName: feedName), locales.contains(page.locale) else { return nil }
        switch page.topic {
        case .operation(let id): if catalog[id] == nil || !permissions.allows(.see, on: .operation(id)) { return nil }
        case .store(let id): if catalog.store(id) == nil || !permissions.allows(.see, on: .store(id)) { return nil }
        case .board, .runs, .stores, .wall: if permissions.isLink || !permissions.allowsAnywhere(.see) { return nil }
        case .run, .output: break
        }
        return page
    }

    /// The document of a live page.
    ///
    /// - Parameters:
    ///   - content: The content of the page.
    ///   - cursor: The position in the page's feed.
    ///   - frame: The request.
    ///   - draft: The values of a form on the page.
    ///   - output: The output of the run on a run's page; nil to leave it out.
    /// - Returns: HTML that is also well-formed XML.
    package func document(
        _ content: PageContent, cursor: PageCursor, frame: PageFrame, draft: FormDraft? = nil,
        output: PageOutput? = nil
    ) -> String {
        let writer = writer(frame)
        let main = writer.region(content, cursor: cursor, frame: frame, draft: draft, output: output?.first)
        return writer.document(
            main, title: writer.title(content), section: writer.section(of: content), cursor: cursor,
            isEnded: content.isEnded, styles: output == nil ? [] : ["ansi"], frame: frame)
    }

    /// The document of a live page with places for what differs between requests.
    ///
    /// One document serves all requests whose frames have the same `closed`.
    package func openDocument(
        _ content: PageContent, cursor: PageCursor, frame: PageFrame, output: PageOutput? = nil
    ) -> PageDocument {
        PageDocument(marked: document(content, cursor: cursor, frame: frame.open, output: output))
    }

    /// The document of a page of the past, which is not live and offers no actions.
    ///
    /// The content is byte for byte what the page showed at that moment; the scrubber and a note about the moment are
    /// added.
    ///
    /// - Parameters:
    ///   - past: The moment.
    ///   - ahead: The requested change, if it does not exist yet.
    ///   - frame: The request.
    /// - Returns: HTML that is also well-formed XML.
    package func document(_ past: PastContent, ahead: SequenceNumber? = nil, frame: PageFrame) -> String {
        var frame = frame
        frame.pastMoment = past.pastMoment
        let writer = writer(frame)
        return writer.document(
            writer.region(past, ahead: ahead, frame: frame), title: writer.title(past.content),
            section: writer.section(of: past.content), frame: frame)
    }

    /// The element `<main id="page">` of a live page, with which a client resynchronizes.
    package func region(
        _ content: PageContent, cursor: PageCursor, frame: PageFrame, output: PageOutput? = nil
    ) -> String {
        writer(frame).region(content, cursor: cursor, frame: frame, draft: nil, output: output).html
    }

    /// The element of a run's page that follows the run's output.
    package func region(_ output: PageOutput, of run: String, locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/output", writer.output(output, of: run)).html
    }

    /// The patches that bring the output on a run's page from a line number to the last one, in steps that end at the given
    /// numbers.
    ///
    /// Rendering is expensive: call this once per number and page, and keep the result.
    package func patches(
        for output: OutputTail, after number: SequenceNumber, page: LivePage
    ) -> [(number: SequenceNumber, patches: [Patch])] {
        guard case .output(let run) = page.topic else { return [] }
        return writer(page.locale).outputPatches(output, of: run, after: number)
    }

    /// The content of the element with the lines of an output that have not ended.
    package func region(_ unfinished: UnfinishedLines, locale: PageLocale) -> String {
        writer(locale).unfinished(unfinished).html
    }

    /// The list of lines from anywhere in a run's output.
    package func region(_ part: OutputPart, of run: String, locale: PageLocale) -> String {
        writer(locale).outputList(part, of: run).html
    }

    /// The sentence about a line that does not exist.
    package func sentence(noLine number: SequenceNumber, head: SequenceNumber, locale: PageLocale) -> String {
        writer(locale).noLine(number, head: head)
    }

    /// The sentence about the result of a search in an output.
    package func sentence(_ matches: OutputMatches, head: SequenceNumber, locale: PageLocale) -> String {
        writer(locale).result(matches, head: head)
    }

    /// The rendering of a state by its template, as in a run that is in the state.
    package func stateBody(
        _ state: StateRecord, of operation: String, locale: PageLocale, isCompact: Bool
    ) -> String {
        guard let view = catalog[operation].flatMap({ SampleViews.view(of: $0, in: state, id: "sample") }) else {
            return ""
        }
        let place = PageWriter.Place(uid: "sample", isCompact: isCompact)
        return writer(locale).stateBody(view, place).html
    }

    /// The content of the document's element `notice`: one element, or nothing.
    package func notice(_ notices: PageNotices, locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/notices", ["standing": writer.standing(notices)]).html
    }

    /// The content of the document's element `viewers`: the page's other viewers, or nothing.
    package func viewers(_ names: [String], locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/viewers", ["viewers": writer.viewers(names)]).html
    }

    /// The problems of all templates, cases and strings, sorted by file and line.
    ///
    /// The time is proportional to the number of operations and of templates.
    package func check() -> [TemplateProblem] { check {} }

    /// The same check, which the caller can end early.
    ///
    /// - Parameters:
    ///   - trustsBundled: Whether to skip rendering the samples if every template is a bundled one, which Weir's own tests
    ///     check.
    ///   - checkpoint: Called between operations and between templates.
    /// - Returns: The problems.
    /// - Throws: The error of the checkpoint, which ends the check.
    package func check<Failure: Error>(
        trustsBundled: Bool = false, _ checkpoint: () throws(Failure) -> Void
    ) throws(Failure) -> [TemplateProblem] {
        try templateCheck.problems(rendersSamples: set.isOverridden || !trustsBundled, checkpoint)
    }

    var templateCheck: TemplateCheck { TemplateCheck(catalog: catalog, set: set, library: library, tables: tables) }
}
