package import WeirJournals

extension PageRenderer {
    /// The list of runs for a filter other than the empty one, for which `document(.runs(…))` is live.
    ///
    /// With a cursor, a browser asks for the list again when runs change.
    package func runs(_ page: RunPage, filter: RunFilter, cursor: PageCursor? = nil, frame: PageFrame) -> String {
        let writer = writer(frame)
        let older = page.next == nil ? nil : page.runs.last.map { writer.url(filter.following($0)) }
        let fields = writer.runsPage(page.runs, filter: filter, olderURL: older)
            .merging(["views": writer.views(frame, filter)])
        let title = writer.title(writer.strings[.runs])
        let main = writer.region("pages/runs", fields, title: title, cursor: cursor, frame: frame)
        return writer.document(main, title: title, section: .runs, cursor: cursor, frame: frame)
    }

    /// What would happen to many runs, with the form that does it.
    package func runChange(_ plan: RunChange.Plan, frame: PageFrame) -> String {
        let writer = writer(frame)
        let fields = writer.planPage(plan)
        return document(writer, "pages/run-change", fields, writer.title(of: plan.change), .runs, frame)
    }

    /// What happened to many runs.
    package func runChange(_ report: RunChange.Report, frame: PageFrame) -> String {
        let writer = writer(frame)
        let fields = writer.reportPage(report)
        return document(writer, "pages/run-change", fields, writer.title(of: report.change), .runs, frame)
    }

    /// What operations are called in a language, by which a search finds their runs.
    package func operationNames(_ locale: PageLocale) -> [String: String] { writer(locale).operationNames }

    /// What operations are called in a language, by their ids.
    package func titles(_ locale: PageLocale) -> [String: String] { writer(locale).titles }
}
