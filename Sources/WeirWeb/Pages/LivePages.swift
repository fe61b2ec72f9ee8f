import HTTPTypes
import Hummingbird
import WeirAccess
import WeirBoards
import WeirJournals
import WeirOperations
import WeirPages
import WeirStates

struct LivePages {
    let dashboard: AudienceDashboard

    /// The page in its current state, or in the past state that the query selects.
    func show(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response {
        if let list = try await filteredRuns(name, exchange) { return list }
        if case .store(let id) = name, let moment = exchange.target.query["at"] {
            return try await StorePast(dashboard: dashboard).show(id, at: moment, exchange)
        }
        if let past = try await MomentPages(dashboard: dashboard).show(name, exchange) { return past }
        return try await document(name, exchange, draft: try await again(name, exchange))
    }

    /// The page with its start form as submitted, with the validation errors.
    func show(_ name: PageName, draft: FormDraft, _ exchange: Exchange) async throws(Problem) -> Response {
        var response = try await document(name, exchange, draft: draft)
        response.status = .unprocessableContent
        return response
    }

    /// The page after the next change, or after 13 seconds; browsers without JavaScript reload it repeatedly.
    func showNext(_ name: PageName, after cursor: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let cursor = FeedCursor(cursor) else { throw .malformedPath }
        if cursor.epoch == dashboard.board.epoch, exchange.request.method == .get {
            _ = await dashboard.pollResponder.wait(
                for: name.topic.topic, after: cursor.sequence, atMost: PollSlots.length, right: exchange.right,
                starts: name.topic.startsOperations)
        }
        if let list = try await filteredRuns(name, exchange) { return list }
        return try await document(name, exchange, draft: nil)
    }

    /// The list of runs with the filter of the query; nil for other pages and without a filter.
    private func filteredRuns(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response? {
        guard name == .runs else { return nil }
        let filter = dashboard.filter(exchange.target.query, exchange.locale, beside: ["still"])
        return filter.isEmpty ? nil : try await RunsPage(dashboard: dashboard).show(filter, exchange)
    }

    private func document(
        _ name: PageName, _ exchange: Exchange, draft: FormDraft?
    ) async throws(Problem) -> Response {
        // Read before the content, so that a concurrent rewrite causes another rendering instead of a stale page.
        let rewrites = dashboard.board.feed.rewrites
        let (content, sequence) = try await dashboard.content(of: name)
        // Restarts the grace time of an operation that runs only while it is watched.
        dashboard.board.watch(name.topic.topic, starts: name.topic.startsOperations).release()
        let page = LivePage(name.topic, exchange.locale)
        let base = name.path.isEmpty ? "" : name.path + "/"
        let next = dashboard.mount.url(base + "after/\(dashboard.board.epoch).\(sequence)")
        var frame = exchange.frame(dashboard)
        if name == .overview { frame.arrangement = Pins.arrangement(of: exchange) }
        if case .operation(let id) = name {
            if dashboard.permissions.allows(.start, on: .operation(id)) {
                frame.presets = try await Presets(dashboard, of: id).own(exchange)
            }
            if draft?.errors.isEmpty == true { frame.preset = exchange.target.query["preset"] }
        }
        let query = frame.preset.map { "?preset=" + PercentEncoding.encode($0) } ?? frame.arrangement.query
        frame.path = dashboard.mount.url(name.path) + query
        let after = content.isEnded || isBeingFilledIn(content, draft) || exchange.staysStill ? nil : next + query
        frame.schedule = try await dashboard.schedule(on: name)
        if name == .runs { frame.views = await RunViews.views(in: exchange) }
        frame.hooks = try await HookPages(dashboard: dashboard).content(on: name)
        frame.surroundings = await dashboard.surroundings(of: content)
        let cursor = dashboard.pollResponder.answers.cursor(page, sequence: sequence, after: after)
        // After the cursor, so that a concurrent acknowledgement resets the page instead of being missed.
        frame.acknowledged = dashboard.board.acknowledgements
        frame.withoutStart = dashboard.board.schedulesWithoutStart
        frame.viewers = dashboard.pollResponder.answers.viewers(on: page, exchange.admission)
        let newest = try await dashboard.output(on: name, exchange.locale)
        let excerpts = OutputExcerpts(dashboard: dashboard)
        let output: PageOutput? =
            if case .run(let run) = content, let newest {
                try await excerpts.failure(in: newest, of: run.record)
            } else {
                newest
            }
        if case .run(let id) = name, let output,
            let excerpt = try await excerpts.excerpt(of: output, run: id, exchange.target.query)
        {
            // A page that reloads itself would leave the lines that were asked for.
            let cursor = dashboard.pollResponder.answers.cursor(page, sequence: sequence, after: nil)
            frame.path = exchange.target.text
            return try await .page(for: exchange) { [renderer = dashboard.renderer, frame] in
                renderer.document(content, cursor: cursor, frame: frame, output: excerpt)
            }
        }
        if draft != nil || !frame.arrangement.isCommon {
            return try await .page(for: exchange) { [renderer = dashboard.renderer, frame] in
                renderer.document(content, cursor: cursor, frame: frame, draft: draft, output: output)
            }
        }
        let lines = output.map {
            PageCache.Key.Output(head: $0.tail.head, isClosed: $0.tail.isClosed, unfinished: $0.tail.unfinished)
        }
        let key = PageCache.Key(
            audience: dashboard.audience, subject: .live(page, cursor, rewrites: rewrites, lines), frame: frame.closed)
        let document = try await dashboard.pages.document(for: key) { [renderer = dashboard.renderer, frame] in
            renderer.openDocument(content, cursor: cursor, frame: frame, output: output)
        }
        return .page(document, for: frame, exchange)
    }

    /// The start form with the query's `preset`, or with the input of the run in its `from`.
    private func again(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> FormDraft? {
        guard case .operation(let id) = name else { return nil }
        if let preset = exchange.target.query["preset"] {
            return try await Presets(dashboard, of: id).draft(preset, exchange)
        }
        guard let from = exchange.target.query["from"] else { return nil }
        do {
            let run = try await dashboard.board.run(from).record
            return run.operation == id ? FormDraft(startingAgain: run) : nil
        } catch {
            throw Problem(error)
        }
    }

    /// Whether the viewer is likely to fill in a form while nothing runs, so that an automatic reload must not discard it.
    private func isBeingFilledIn(_ content: PageContent, _ draft: FormDraft?) -> Bool {
        guard draft == nil else { return true }
        if case .store(let view) = content {
            return view.asksForSomething && dashboard.permissions.allows(.act, on: .store(view.id))
        }
        guard case .operation(let view) = content, let entry = dashboard.board.catalog[view.id] else { return false }
        guard dashboard.permissions.allows(.start, on: .operation(view.id)) else { return false }
        // The form that pauses the schedule has a reason.
        let asks = !entry.fields.isEmpty || entry.schedule != nil
        return view.activeRuns == 0 && asks && entry.lifetime == .onDemand
    }
}

extension Exchange {
    /// Whether a browser without JavaScript does not reload the page, whose filters the reader fills in.
    var staysStill: Bool { target.query["still"] != nil }
}

extension StoreView {
    fileprivate var asksForSomething: Bool {
        offers.contains { offer in
            offer.isEnabled
                && entry.form(offer.form)?.fields.contains { offer.values.object?[$0.name] == nil } ?? false
        }
    }
}

extension AudienceDashboard {
    /// A live page's content, and the sequence of the last change in it.
    func content(of name: PageName) async throws(Problem) -> (PageContent, SequenceNumber) {
        if case .run(let id) = name {
            do {
                let run = try await board.run(id)
                return (.run(run), run.record.sequence)
            } catch {
                throw Problem(error)
            }
        }
        if case .operation(let id) = name, board.catalog[id] == nil { throw .unknownOperation(id) }
        let store: StoreEntry? = if case .store(let id) = name { try store(id) } else { nil }
        // Read the head first: a concurrent change is then shown twice rather than missed.
        let head = board.feed.head(of: name.topic.topic)
        if let publication = board.feed.publication(at: head),
            let content = PageContent(publication, for: name.topic)
        {
            return (content, head)
        }
        let view = board.view()
        if let store { return (.store(view.store(store.id) ?? StoreView(store)), head) }
        return switch name {
        case .operation(let id): (.operation(view.operation(id) ?? OperationView(id: id)), head)
        case .runs: (.runs(view), head)
        case .stores: (.stores(view), head)
        case .wall: (.wall(view), head)
        case .overview, .run, .store: (.board(view), head)
        }
    }

    func schedule(on name: PageName) async throws(Problem) -> ScheduleView? {
        guard case .operation(let id) = name else { return nil }
        do { return try await board.schedule(of: id) } catch { throw Problem(error) }
    }

    /// The other runs that a run's page mentions, or nil for another page.
    func surroundings(of content: PageContent) async -> RunSurroundings? {
        guard case .run(let run) = content else { return nil }
        let view = board.view()
        var steps: [RunRecord] = []
        for step in RunSurroundings.failedSteps(of: run.record).prefix(8) where board.catalog[step.operation] != nil {
            let isKnown = view.operation(step.operation)?.recent.contains { $0.record.id == step.run } == true
            // A run that has been removed is left out.
            if !isKnown, let record = try? await board.run(step.run).record { steps.append(record) }
        }
        var around = RunSurroundings(of: run, on: view, steps: steps)
        around.earlierSuccess = try? await board.lastSuccess(before: run.record.id)
        if let retried = run.record.opening.retryOf {
            do { _ = try await board.run(retried) } catch { around.isRetriedDeleted = error.code == .deletedRun }
        }
        return around
    }

    func store(_ id: String) throws(Problem) -> StoreEntry {
        guard let entry = board.catalog.store(id) else { throw .unknownStore(id) }
        return entry
    }

    /// The output section of a run's page; nil for other pages and if no output is expected.
    func output(on name: PageName, _ locale: PageLocale) async throws(Problem) -> PageOutput? {
        guard case .run(let id) = name else { return nil }
        let tail: OutputTail
        do {
            let prints = try await board.catalog[board.run(id).record.operation]?.prints
            if prints == false { return nil }
            tail = try await board.outputTail(of: id)
            // Most runs of an operation that may print do not; while one is active, lines may still arrive.
            if prints == nil || tail.isClosed, tail.head == 0 { return nil }
        } catch {
            throw Problem(error)
        }
        let page = LivePage(.output(id), locale)
        let cursor = tail.isClosed ? nil : pollResponder.answers.cursor(page, sequence: tail.head, after: nil)
        return PageOutput(tail: tail, cursor: cursor)
    }
}
