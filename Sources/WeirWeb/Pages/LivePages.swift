import HTTPTypes
import Hummingbird
import WeirAccess
import WeirBoards
import WeirJournals
import WeirOperations
import WeirPages
import WeirStates

/// The pages that are followed live, as whole documents.
struct LivePages {
    let dashboard: AudienceDashboard

    /// The page as it stands.
    func show(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response {
        let filter = RunFilter(parameters: exchange.target.query.dictionary)
        if name == .runs, !filter.isEmpty {
            return try await RunsPage(dashboard: dashboard).show(filter, exchange)
        }
        if case .store(let id) = name, let moment = exchange.target.query["at"] {
            return try await StorePast(dashboard: dashboard).show(id, at: moment, exchange)
        }
        if let past = try await MomentPages(dashboard: dashboard).show(name, exchange) { return past }
        return try await document(name, exchange, draft: try await again(name, exchange))
    }

    /// The page with its start form filled in as it was sent, and what is wrong with it.
    func show(_ name: PageName, draft: FormDraft, _ exchange: Exchange) async throws(Problem) -> Response {
        var response = try await document(name, exchange, draft: draft)
        response.status = .unprocessableContent
        return response
    }

    /// The page after the next change, or after 13 seconds: what a browser without JavaScript asks again and again.
    func showNext(_ name: PageName, after cursor: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let cursor = FeedCursor(cursor) else { throw .malformedPath }
        if cursor.epoch == dashboard.board.epoch, exchange.request.method == .get {
            _ = await dashboard.pollResponder.wait(
                for: name.topic.topic, after: cursor.sequence, atMost: PollSlots.length)
        }
        let filter = RunFilter(parameters: exchange.target.query.dictionary)
        if name == .runs, !filter.isEmpty {
            return try await RunsPage(dashboard: dashboard).show(filter, exchange)
        }
        return try await document(name, exchange, draft: nil)
    }

    private func document(
        _ name: PageName, _ exchange: Exchange, draft: FormDraft?
    ) async throws(Problem) -> Response {
        // Read before the content: what is rewritten in between is rendered again rather than never.
        let rewrites = dashboard.board.feed.rewrites
        let (content, sequence) = try await dashboard.content(of: name)
        // Whoever looks at a page keeps what runs only while watched going for its grace time at least.
        dashboard.board.watch(name.topic.topic).release()
        let page = LivePage(name.topic, exchange.locale)
        let base = name.path.isEmpty ? "" : name.path + "/"
        let next = dashboard.mount.url(base + "after/\(dashboard.board.epoch).\(sequence)")
        var frame = exchange.frame(dashboard)
        if name == .overview { frame.arrangement = Pins.arrangement(of: exchange) }
        let query = frame.arrangement.query
        frame.path = dashboard.mount.url(name.path) + query
        let after = content.isEnded || isBeingFilledIn(content, draft) ? nil : next + query
        frame.schedule = try await dashboard.schedule(on: name)
        if name == .runs { frame.views = await RunViews.views(in: exchange) }
        frame.hooks = try await HookPages(dashboard: dashboard).content(on: name)
        let cursor = dashboard.pollResponder.answers.cursor(page, sequence: sequence, after: after)
        frame.viewers = dashboard.pollResponder.answers.viewers(on: page, exchange.admission)
        let output = try await dashboard.output(on: name, exchange.locale)
        if draft != nil || !frame.arrangement.isCommon {
            return try await .page(for: exchange) { [renderer = dashboard.renderer, frame] in
                renderer.document(content, cursor: cursor, frame: frame, draft: draft, output: output)
            }
        }
        let lines = output.map { PageCache.Key.Output(head: $0.tail.head, isClosed: $0.tail.isClosed) }
        let key = PageCache.Key(
            audience: dashboard.audience, subject: .live(page, cursor, rewrites: rewrites, lines), frame: frame.closed)
        let document = try await dashboard.pages.document(for: key) { [renderer = dashboard.renderer, frame] in
            renderer.openDocument(content, cursor: cursor, frame: frame, output: output)
        }
        return .page(document, for: frame, exchange)
    }

    /// The start form filled in with what the run was started with that the query names.
    private func again(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> FormDraft? {
        guard case .operation(let id) = name, let from = exchange.target.query["from"] else { return nil }
        do {
            let run = try await dashboard.board.run(from).record
            return run.operation == id ? FormDraft(startingAgain: run) : nil
        } catch {
            throw Problem(error)
        }
    }

    /// Whether what somebody types is likelier to matter than what changes: a form, and nothing that runs beside it.
    private func isBeingFilledIn(_ content: PageContent, _ draft: FormDraft?) -> Bool {
        guard draft == nil else { return true }
        if case .store(let view) = content {
            return view.asksForSomething && dashboard.permissions.allows(.act, on: .store(view.id))
        }
        guard case .operation(let view) = content, let entry = dashboard.board.catalog[view.id] else { return false }
        guard dashboard.permissions.allows(.start, on: .operation(view.id)) else { return false }
        return view.activeRuns == 0 && !entry.fields.isEmpty && entry.lifetime == .onDemand
    }
}

extension StoreView {
    /// Whether one of the actions that can be taken has a field to fill in.
    fileprivate var asksForSomething: Bool {
        offers.contains { offer in
            offer.isEnabled
                && entry.form(offer.form)?.fields.contains { offer.values.object?[$0.name] == nil } ?? false
        }
    }
}
