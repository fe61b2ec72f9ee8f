import WeirBoards

/// What shows an excerpt: two moments of one thing, or one thing alone in a frame on another site.
extension PageRenderer {
    /// Two moments of a run or a store, and what differs between them.
    package func moments(_ pair: MomentPair, frame: PageFrame) -> String {
        let section: PageWriter.Section = if case .store = pair { .stores } else { .runs }
        let writer = writer(frame)
        return document(
            writer, "pages/moments", writer.momentsPage(pair), writer.strings[.moments], section, frame)
    }

    /// An operation or a run as a small document of its own, for a frame on another site.
    ///
    /// - Parameters:
    ///   - content: An operation or a run; anything else gives an empty document.
    ///   - after: The address that answers after the next change; nil when there will be none.
    ///   - frame: The request.
    /// - Returns: HTML that is well-formed XML too.
    package func widget(_ content: PageContent, after: String?, frame: PageFrame) -> String {
        let writer = writer(frame)
        return writer.widget(content, after: after).map { writer.render("pages/widget", $0).html } ?? ""
    }
}
