package import WeirBoards
package import WeirJournals
package import WeirStates

/// The documents that are not live: what they show changes only when they are asked for again.
extension PageRenderer {
    /// Two runs of one operation, side by side.
    package func comparison(_ runs: RunComparison, frame: PageFrame) -> String {
        let writer = writer(frame)
        let title = writer.title(writer.strings[.compare])
        let main = writer.region("pages/compare", writer.comparePage(runs), title: title, frame: frame)
        return writer.document(main, title: title, section: .runs, frame: frame)
    }

    /// How an operation has done lately.
    ///
    /// Not live.
    package func health(_ health: OperationHealth, frame: PageFrame) -> String {
        let writer = writer(frame)
        let title = writer.strings(.healthOf, ["operation": writer.title(of: health.operation)])
        return document(writer, "pages/health", writer.healthPage(health), title, .operations, frame)
    }

    /// The page of a start form alone, with the mistakes beside the fields and what was typed kept.
    ///
    /// Not live.
    package func startForm(operation: String, draft: FormDraft, frame: PageFrame) -> String {
        let writer = writer(frame)
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

    /// How an operation stands, as a picture in SVG.
    package func badge(of operation: String, latest: RunView?, locale: PageLocale) -> String {
        let writer = writer(locale)
        return writer.render("partials/badge", writer.badge(operation, latest: latest)).html
    }

    /// All schedules, each with its next times.
    ///
    /// Not live.
    package func schedules(_ views: [ScheduleView], frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(
            writer, "pages/schedules", writer.schedulesPage(views), writer.strings[.schedules], .schedules, frame)
    }

    /// Every sample of every operation and store, or of one of them; of many, a link to each.
    package func gallery(_ section: GallerySection? = nil, frame: PageFrame) -> String {
        // Samples are of no moment that the present could be told from, so that the page is the same at any time.
        var writer = writer(frame)
        writer.format.now = nil
        return document(writer, "pages/gallery", writer.gallery(section), writer.strings[.gallery], .gallery, frame)
    }

    /// Whether there is an operation or a store for a part of the gallery.
    package func shows(_ section: GallerySection) -> Bool {
        switch section {
        case .operation(let id): catalog[id] != nil
        case .store(let id): catalog.store(id) != nil
        }
    }

    /// The gallery with places left open for what belongs to one request.
    package func openGallery(_ section: GallerySection?, frame: PageFrame) -> PageDocument {
        PageDocument(marked: gallery(section, frame: frame.open))
    }

    /// What the server is and how it does.
    package func system(_ facts: SystemFacts, frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(writer, "pages/system", writer.systemPage(facts), writer.strings[.system], .system, frame)
    }

    /// A page about who one is and who there is.
    package func account(_ page: AccountPage, frame: PageFrame) -> String {
        let writer = writer(frame)
        let (template, fields, title) = writer.accountPage(page)
        return document(writer, template, fields, title, .none, frame)
    }

    /// A message in a language, for answers that are no pages.
    package func text(of message: Message, locale: PageLocale) -> String { writer(locale).strings(message) }

    /// What problems of a status are called in a language; nil in English, where each kind has a title of its own.
    package func problemTitle(_ status: Int, locale: PageLocale) -> String? {
        locale == .english ? nil : writer(locale).strings.optional("problem.\(status)")
    }

    /// A problem as a page.
    package func problem(_ problem: PageProblem, frame: PageFrame) -> String {
        let writer = writer(frame)
        return document(writer, "pages/problem", writer.problemPage(problem), writer.title(of: problem), .none, frame)
    }

    func document(
        _ writer: PageWriter, _ template: String, _ fields: Fields, _ words: String, _ section: PageWriter.Section,
        _ frame: PageFrame
    ) -> String {
        let title = writer.title(words)
        let main = writer.region(template, fields, title: title, frame: frame)
        return writer.document(main, title: title, section: section, frame: frame)
    }
}
