package import WeirBoards
package import WeirJournals
package import WeirStates

/// Documents that are not live: they change only when they are requested again.
extension PageRenderer {
    package func comparison(_ runs: RunComparison, frame: PageFrame) -> String {
        let writer = writer(frame)
        let title = writer.title(writer.strings[.compare])
        let main = writer.region("pages/compare", writer.comparePage(runs), title: title, frame: frame)
        return writer.document(main, title: title, section: .runs, styles: ["compare", "ansi"], frame: frame)
    }

    package func health(_ health: OperationHealth, frame: PageFrame) -> String {
        let writer = writer(frame)
        let title = writer.strings(.healthOf, ["operation": writer.title(of: health.operation)])
        return document(writer, "pages/health", writer.healthPage(health), title, .operations, frame)
    }

    package func artifact(_ page: PageArtifact, frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(writer, "pages/artifact", writer.artifactPage(page), page.artifact.filename, .runs, frame)
    }

    /// The page that asks for the name of a preset; `text` is the values as the form sends them.
    package func preset(of entry: CatalogEntry, _ values: JSONValue, text: String, frame: PageFrame) -> String {
        let writer = writer(frame)
        let fields = writer.presetPage(entry, values, text: text)
        return document(writer, "pages/preset", fields, writer.strings[.presetPage], .operations, frame)
    }

    /// A store after an earlier change.
    ///
    /// - Parameters:
    ///   - view: The store at that time.
    ///   - latest: The current store.
    ///   - next: The store's change after the one that the view shows, or nil.
    ///   - frame: The request.
    /// - Returns: The document.
    package func past(_ view: StoreView, latest: StoreView, next: SequenceNumber?, frame: PageFrame) -> String {
        let past = PageWriter.StorePast(latest: latest, next: next)
        var frame = frame
        frame.pastMoment = view.log.first.map { PageFrame.PastMoment(sequence: $0.sequence, at: $0.at) }
        let writer = writer(frame)
        let title = writer.title(.store(view))
        let main = writer.region(
            "pages/store", writer.storePage(view, past: past, draft: nil), title: title, frame: frame)
        return writer.document(main, title: title, section: .stores, frame: frame)
    }

    package func badge(of operation: String, latest: RunView?, locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/badge", writer.badge(operation, latest: latest)).html
    }

    /// The form that acknowledges the failures of an operation; nil if its newest run did not fail.
    package func acknowledgement(of operation: String, on board: BoardView, frame: PageFrame) -> String? {
        let writer = writer(frame)
        guard let fields = writer.acknowledgePage(operation, on: board) else { return nil }
        return document(writer, "pages/note", fields, writer.strings[.acknowledge], .operations, frame)
    }

    /// The form that pauses the schedule of an operation.
    package func pause(of operation: String, frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(
            writer, "pages/note", writer.pausePage(operation), writer.strings[.schedulePauseThis], .schedules, frame)
    }

    package func schedules(_ views: [ScheduleView], frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(
            writer, "pages/schedules", writer.schedulesPage(views), writer.strings[.schedules], .schedules, frame)
    }

    /// All samples of all operations and stores, or of one of them; if there are too many, a link to each.
    func gallery(_ section: GallerySection? = nil, frame: PageFrame) -> String {
        // Samples have no relation to the present, so the page has no time of its own and is the same at any time.
        var writer = writer(frame)
        writer.format.now = nil
        return document(writer, "pages/gallery", writer.gallery(section), writer.strings[.gallery], .gallery, frame)
    }

    /// Whether the operation or store of a section exists.
    package func shows(_ section: GallerySection) -> Bool {
        switch section {
        case .operation(let id): catalog[id] != nil
        case .store(let id): catalog.store(id) != nil
        }
    }

    package func openGallery(_ section: GallerySection?, frame: PageFrame) -> PageDocument {
        PageDocument(marked: gallery(section, frame: frame.open))
    }

    package func system(_ facts: SystemFacts, frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(writer, "pages/system", writer.systemPage(facts), writer.strings[.system], .system, frame)
    }

    package func api(_ api: PageAPI, frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(writer, "pages/api", writer.apiPage(api), writer.strings[.api], .none, frame)
    }

    package func account(_ page: AccountPage, frame: PageFrame) -> String {
        let writer = writer(frame)
        let (template, fields, title) = writer.accountPage(page)
        return document(writer, template, fields, title, .none, frame)
    }

    /// The decimal mark of a language, as in the numbers of its forms.
    package func decimalMark(_ locale: PageLocale) -> String { writer(locale).format.decimal }

    /// A message in a language, for responses that are not pages.
    package func text(of message: Message, locale: PageLocale) -> String { writer(locale).strings(message) }

    /// The title of problems with a status in a language, or nil in English, where each kind has its own title.
    package func problemTitle(_ status: Int, locale: PageLocale) -> String? {
        locale == .english ? nil : writer(locale).strings.optional("problem.\(status)")
    }

    package func problem(_ problem: PageProblem, frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(writer, "pages/problem", writer.problemPage(problem), writer.title(of: problem), .none, frame)
    }

    func document(
        _ writer: PageWriter, _ template: String, _ fields: Fields, _ words: String, _ section: PageWriter.Section,
        _ frame: PageFrame, styles: [String] = []
    ) -> String {
        let title = writer.title(words)
        let main = writer.region(template, fields, title: title, frame: frame)
        return writer.document(main, title: title, section: section, styles: styles, frame: frame)
    }
}

extension PageRenderer {
    /// The list of runs for a filter that is not empty; for the empty one, use the live `document(.runs(…))`.
    ///
    /// - Parameters:
    ///   - page: The runs.
    ///   - filter: The filter.
    ///   - query: The query of the page, as of the moment to which the next page belongs.
    ///   - mistake: What of the filter was not understood.
    ///   - total: The number of matching runs.
    ///   - cursor: With a cursor, a browser requests the list again when runs change.
    ///   - frame: The surroundings of the page.
    /// - Returns: The document.
    package func runs(
        _ page: RunPage, filter: RunFilter, query: RunQuery? = nil, mistake: Message? = nil, total: RunTotal? = nil,
        cursor: PageCursor? = nil, frame: PageFrame
    ) -> String {
        let writer = writer(frame)
        let query = query ?? filter.query()
        let older = page.next == nil ? nil : page.runs.last.map { writer.url(filter.following($0, of: query)) }
        let fields = writer.runsPage(page.runs, filter: filter, olderURL: older, mistake: mistake, total: total)
            .merging(["views": writer.views(frame, filter)])
        let title = writer.title(writer.strings[.runs])
        let main = writer.region("pages/runs", fields, title: title, cursor: cursor, frame: frame)
        return writer.document(main, title: title, section: .runs, cursor: cursor, frame: frame)
    }

    package func runChange(_ plan: RunChange.Plan, frame: PageFrame) -> String {
        let writer = writer(frame)
        let fields = writer.planPage(plan)
        return document(writer, "pages/run-change", fields, writer.title(of: plan.change), .runs, frame)
    }

    package func runChange(_ report: RunChange.Report, frame: PageFrame) -> String {
        let writer = writer(frame)
        let fields = writer.reportPage(report)
        return document(writer, "pages/run-change", fields, writer.title(of: report.change), .runs, frame)
    }

    /// The titles of operations in a language, by which a search finds their runs.
    package func operationNames(_ locale: PageLocale) -> [String: String] { writer(locale).operationNames }

    /// The phase that pages in any language call by a word, or nil.
    package func phase(named word: String) -> Phase? {
        let word = SearchWords.folded(word)
        return Phase.allCases.first { phase in
            locales.contains { SearchWords.folded(writer($0).word(for: phase)) == word }
        }
    }

    /// The only operation that pages in a language call by a title, or nil.
    package func operation(named title: String, _ locale: PageLocale) -> String? {
        let found = titles(locale).filter { $0.value.lowercased() == title.lowercased() }
        return found.count == 1 ? found.first?.key : nil
    }

    /// The titles of operations in a language, by id.
    package func titles(_ locale: PageLocale) -> [String: String] { writer(locale).titles }
}

/// Excerpts: two moments of one thing, or one thing alone in a frame on another site.
extension PageRenderer {
    /// Two moments of a run or store, and their differences.
    package func moments(_ pair: MomentPair, frame: PageFrame) -> String {
        let section: PageWriter.Section = if case .store = pair { .stores } else { .runs }
        let writer = writer(frame)
        return document(
            writer, "pages/moments", writer.momentsPage(pair), writer.strings[.moments], section, frame,
            styles: ["compare"])
    }

    /// A small document of an operation or run, for a frame on another site.
    ///
    /// - Parameters:
    ///   - content: An operation or a run; for anything else the document is empty.
    ///   - after: The URL that responds after the next change, or nil if none can follow.
    ///   - frame: The request.
    /// - Returns: HTML that is also well-formed XML.
    package func widget(_ content: PageContent, after: String?, frame: PageFrame) -> String {
        let writer = writer(frame)
        return writer.widget(content, after: after).map { writer.render("pages/widget", $0).html } ?? ""
    }
}
