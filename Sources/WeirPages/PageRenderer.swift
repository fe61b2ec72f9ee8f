package import WeirAccess
package import WeirBoards
package import WeirJournals
import WeirOperations
package import WeirStates

/// Turns views of the board into HTML: whole documents, the regions in them, and the patches from change to change.
///
/// Pure: after `init` nothing is read, no clock is asked, and the same arguments give the same pages. Nothing throws: a
/// template that is broken or missing shows a box that says so in its place.
package final class PageRenderer: Sendable {
    /// The languages there are, English first.
    package let locales: [PageLocale]

    let catalog: Catalog
    let library: TemplateLibrary
    let tables: StringTables
    private let set: TemplateSet
    private let renderings = LatestRenderings()
    /// What those who are shown the pages may do: what else a page offers, it leaves out.
    package let permissions: Permissions
    private let base: String
    private let assets: String
    private let offersLinks: Bool
    private let writers: [PageLocale: PageWriter]
    private let english: PageWriter

    /// Makes a renderer.
    ///
    /// - Parameters:
    ///   - catalog: The operations that pages show.
    ///   - templates: The templates and strings.
    ///   - mountPath: Where the dashboard stands, such as `/` or `/ops`; every URL in a page begins with it.
    ///   - assetFolder: The folder below `assets` in which pages name the files of `Public`; nil for none.
    ///   - offersLinks: Whether a run's page leads to the links to it.
    package convenience init(
        catalog: Catalog, templates: TemplateSet, mountPath: String = "/", assetFolder: String? = nil,
        offersLinks: Bool = false
    ) {
        let base = mountPath.hasSuffix("/") ? String(mountPath.dropLast()) : mountPath
        self.init(
            catalog: catalog, set: templates, library: TemplateLibrary(templates),
            tables: StringTables(templates.tables), base: base,
            assets: base + "/assets" + (assetFolder.map { "/" + $0 } ?? ""), permissions: .everything,
            offersLinks: offersLinks)
    }

    /// The pages of another catalog, with other templates, at the same place.
    package func showing(_ catalog: Catalog, templates: TemplateSet) -> PageRenderer {
        PageRenderer(
            catalog: catalog, set: templates, library: TemplateLibrary(templates),
            tables: StringTables(templates.tables), base: base, assets: assets, permissions: permissions,
            offersLinks: offersLinks)
    }

    /// The same pages for those who may see a part of the catalog, and do so much with it.
    ///
    /// Templates and strings are shared, so that it costs next to nothing.
    package func restricted(to catalog: Catalog, permissions: Permissions) -> PageRenderer {
        PageRenderer(
            catalog: catalog, set: set, library: library, tables: tables, base: base, assets: assets,
            permissions: permissions, offersLinks: offersLinks)
    }

    private init(
        catalog: Catalog, set: TemplateSet, library: TemplateLibrary, tables: StringTables, base: String,
        assets: String, permissions: Permissions, offersLinks: Bool
    ) {
        func writer(_ locale: PageLocale) -> PageWriter {
            let strings = tables[locale]
            return PageWriter(
                catalog: catalog, library: library, locale: locale, locales: tables.locales, strings: strings,
                format: LocaleFormat(strings.optional), base: base, assets: assets,
                permissions: permissions, offersLinks: offersLinks)
        }
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

    /// The writer of a page that is of a moment, from which times are counted.
    private func writer(_ locale: PageLocale, at now: Timestamp?) -> PageWriter {
        var writer = writer(locale)
        // In whole seconds: how long ago something was is said no finer, and one document serves all requests of a second.
        writer.format.now = now.map(\.wholeSecond)
        return writer
    }

    func writer(_ frame: PageFrame) -> PageWriter {
        writer(frame.locale, at: frame.pastMoment?.at ?? frame.clock)
    }

    /// The language for a reader.
    ///
    /// - Parameters:
    ///   - choice: The tag that the reader chose before; it counts if there is such a locale.
    ///   - acceptLanguage: The header `Accept-Language`.
    /// - Returns: The choice, else the best of the header, else English.
    package func locale(choice: String?, acceptLanguage: String?) -> PageLocale {
        if let chosen = choice.flatMap({ PageLocale($0) }), locales.contains(chosen) { return chosen }
        return acceptLanguage.map(tables.best) ?? .english
    }

    /// The page of that feed; nil if the name is wrong or there is no such locale or operation.
    ///
    /// Whether there is such a run is not known here.
    package func page(feedName: some StringProtocol) -> LivePage? {
        guard let page = LivePage(feedName: feedName), locales.contains(page.locale) else { return nil }
        switch page.topic {
        case .operation(let id): if catalog[id] == nil || !permissions.allows(.see, on: .operation(id)) { return nil }
        case .store(let id): if catalog.store(id) == nil || !permissions.allows(.see, on: .store(id)) { return nil }
        case .board, .runs, .stores: if permissions.isLink || !permissions.allowsAnywhere(.see) { return nil }
        case .run, .output: break
        }
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
    package func document(
        _ content: PageContent, cursor: PageCursor, frame: PageFrame, draft: FormDraft? = nil,
        output: PageOutput? = nil
    ) -> String {
        let writer = writer(frame)
        let main = writer.region(content, cursor: cursor, frame: frame, draft: draft, output: output)
        return writer.document(
            main, title: writer.title(content), section: writer.section(of: content), cursor: cursor,
            isEnded: content.isEnded, frame: frame)
    }

    /// A whole document of a live page with places left open for what belongs to one request.
    ///
    /// For requests whose frames have the same `closed`, one document serves all.
    package func openDocument(
        _ content: PageContent, cursor: PageCursor, frame: PageFrame, output: PageOutput? = nil
    ) -> PageDocument {
        PageDocument(marked: document(content, cursor: cursor, frame: frame.open, output: output))
    }

    /// A whole document of a page of the past, which is not followed and on which nothing can be done.
    ///
    /// What it shows is what was live then, byte for byte; around it are the scrubber and the news of where it stands.
    /// - Parameters:
    ///   - past: The moment.
    ///   - ahead: The change that was asked for, if there is none of that number yet.
    ///   - frame: The request.
    /// - Returns: HTML that is well-formed XML too.
    package func document(_ past: PastContent, ahead: SequenceNumber? = nil, frame: PageFrame) -> String {
        var frame = frame
        frame.pastMoment = past.pastMoment
        let writer = writer(frame)
        return writer.document(
            writer.region(past, ahead: ahead, frame: frame), title: writer.title(past.content),
            section: writer.section(of: past.content), frame: frame)
    }

    /// The element `<main id="page">` of a live page: what a client that lost its place takes over.
    package func region(
        _ content: PageContent, cursor: PageCursor, frame: PageFrame, output: PageOutput? = nil
    ) -> String {
        writer(frame).region(content, cursor: cursor, frame: frame, draft: nil, output: output).html
    }

    /// The element of a run's page that follows what the run prints.
    package func region(_ output: PageOutput, of run: String, locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/output", writer.output(output, of: run)).html
    }

    /// What brings the lines on a run's page from a number to the last one, in steps, each with the number it ends at.
    ///
    /// Costs rendering: ask once for each number and page, and keep the answer.
    package func patches(
        for output: OutputTail, after number: SequenceNumber, page: LivePage
    ) -> [(number: SequenceNumber, patches: [Patch])] {
        writer(page.locale).outputPatches(output, after: number)
    }

    /// What brings the page from the change before to this one; empty when the change does not show on the page.
    ///
    /// Costs rendering: ask once for each publication and page, and keep the answer.
    package func patches(for publication: Publication, page: LivePage) -> [Patch] {
        PagePatcher(
            writer: writer(page.locale, at: publication.change.at), publication: publication, page: page,
            renderings: renderings
        ).patches()
    }

    /// What the template of a state makes of it, as in a run that stands in it.
    package func stateBody(
        _ state: StateRecord, of operation: String, locale: PageLocale, isCompact: Bool
    ) -> String {
        guard let view = catalog[operation].flatMap({ SampleViews.view(of: $0, in: state, id: "sample") }) else {
            return ""
        }
        let place = PageWriter.Place(uid: "sample", isCompact: isCompact)
        return writer(locale).stateBody(view, place).html
    }

    /// What the document's element `notice` holds: one element, or nothing.
    package func notice(_ notices: PageNotices, locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/notices", ["standing": writer.standing(notices)]).html
    }

    /// What the document's element `viewers` holds: who else has the page open, or nothing.
    package func viewers(_ names: [String], locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/viewers", ["viewers": writer.viewers(names)]).html
    }

    /// Everything that is wrong with templates, cases and strings, by file and line; empty if nothing is.
    ///
    /// The time is proportional to the number of operations and of templates.
    package func check() -> [TemplateProblem] { check {} }

    /// The same check, which the caller can end early.
    ///
    /// - Parameter checkpoint: Called between operations and between templates.
    /// - Returns: The problems.
    /// - Throws: The error of the checkpoint, which ends the check.
    package func check<Failure: Error>(
        _ checkpoint: () throws(Failure) -> Void
    ) throws(Failure) -> [TemplateProblem] {
        try templateCheck.problems(checkpoint)
    }

    var templateCheck: TemplateCheck { TemplateCheck(catalog: catalog, set: set, library: library, tables: tables) }
}
