import Hummingbird
import WeirBoards
import WeirFlows
import WeirJournals
import WeirPages
import WeirStates

struct RunsPage {
    /// The number of failed runs in which those with the same message are grouped.
    private static let failures = 200

    let dashboard: AudienceDashboard

    func show(_ filter: RunFilter, _ exchange: Exchange) async throws(Problem) -> Response {
        // Read the head first: a concurrent change is then shown twice rather than missed.
        let head = dashboard.board.feed.head(of: PageName.runs.topic.topic)
        var frame = exchange.frame(dashboard)
        frame.views = await RunViews.views(in: exchange)
        if let mistake = filter.mistake {
            let message = Problem(mistake).message
            return try await .page(for: exchange) { [renderer = dashboard.renderer, frame] in
                renderer.runs(RunPage(runs: [], next: nil), filter: filter, mistake: message, frame: frame)
            }
        }
        let page: RunPage
        var query = try query(filter, exchange, now: frame.clock)
        if filter.groupsFailures, filter.limit == nil { query.limit = Self.failures }
        let total: RunTotal?
        do {
            page = try await dashboard.board.answer(query)
            total = try await self.total(filter, page)
        } catch {
            throw Problem(error)
        }
        frame.path = address(PageName.runs.path, filter)
        let after = address("\(PageName.runs.path)/after/\(dashboard.board.epoch).\(head)", filter)
        let cursor = dashboard.pollResponder.answers.cursor(
            LivePage(.runs, exchange.locale), sequence: head, after: exchange.staysStill ? nil : after)
        return try await .page(for: exchange) { [renderer = dashboard.renderer, frame, query] in
            renderer.runs(
                page, filter: filter, query: query, total: total, cursor: filter.isFirstPage ? cursor : nil,
                frame: frame)
        }
    }

    /// The number of runs that a filter finds; nil on a later page whose filter the journal does not count.
    private func total(_ filter: RunFilter, _ page: RunPage) async throws(BoardError) -> RunTotal? {
        if filter.isCounted {
            let counts = try await dashboard.board.counts().filter { count in
                count.phase.rawValue == filter.phase
                    && (filter.operation.isEmpty || count.operation == filter.operation)
            }
            return .exactly(counts.reduce(0) { $0 + Int64($1.count) })
        }
        guard filter.isFirstPage else { return nil }
        let count = Int64(page.runs.count)
        return page.next == nil ? .exactly(count) : .atLeast(count)
    }

    /// The journal query of a filter, with the reader's name for `me` and operation names in the reader's language.
    ///
    /// Throws the problem of a filter that was not understood.
    func query(_ filter: RunFilter, _ exchange: Exchange, now: Timestamp? = nil) throws(Problem) -> RunQuery {
        if let mistake = filter.mistake { throw Problem(mistake) }
        let moment = RunOrder.Moment(
            at: now ?? Timestamp(milliseconds: dashboard.clock.wall), head: dashboard.board.feed.head(of: .board))
        var query = filter.query(asOf: moment, reader: exchange.actor)
        if query.text != nil { query.operationNames = dashboard.renderer.operationNames(exchange.locale) }
        return query
    }

    private func address(_ path: String, _ filter: RunFilter) -> String {
        dashboard.mount.url(path) + "?" + filter.query
    }
}

struct HealthPage {
    let dashboard: AudienceDashboard

    /// Everything that determines an operation's figures: equal keys have equal figures.
    struct Key: Hashable, Sendable {
        let operation: String
        let head: SequenceNumber
        let rewrites: Int
        /// The server's hour, since the 30-day window moves with time.
        let hour: Int64
    }

    func show(_ operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let health = try await health(operation)
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.health(health, frame: frame)
        }
    }

    func list(_ operation: String) async throws(Problem) -> Response {
        try .json(try await health(operation).json(at: now))
    }

    private var now: Timestamp { Timestamp(milliseconds: dashboard.clock.wall) }

    private func health(_ operation: String) async throws(Problem) -> OperationHealth {
        let board = dashboard.board
        guard board.catalog[operation] != nil else { throw .unknownOperation(operation) }
        let now = self.now
        let key = Key(
            operation: operation, head: board.feed.head(of: .operation(operation)), rewrites: board.feed.rewrites,
            hour: now.milliseconds / 3_600_000)
        if let known = dashboard.healths.known(key) { return known }
        let health: OperationHealth
        do { health = try await board.health(of: operation, asOf: now) } catch { throw Problem(error) }
        return dashboard.healths.value(for: key, cost: { _ in 1 }) { health }
    }
}

/// Shows every state of every operation and store.
struct GalleryPage {
    let dashboard: AudienceDashboard

    /// The gallery, or the section of the query's `operation` or `store`; cached until the catalog or the templates change.
    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        let section = try section(exchange)
        var frame = exchange.frame(dashboard)
        // Drop unknown parameters, since each path is cached separately.
        frame.path = dashboard.mount.url("gallery") + (section.map(\.query) ?? "")
        var closed = frame.closed
        closed.clock = nil
        let key = PageCache.Key(audience: dashboard.audience, subject: .gallery(section), frame: closed)
        let document = try await dashboard.pages.document(for: key, on: .pages) {
            [renderer = dashboard.renderer, frame] in
            renderer.openGallery(section, frame: frame)
        }
        return .page(document, for: frame, exchange)
    }

    private func section(_ exchange: Exchange) throws(Problem) -> GallerySection? {
        if let id = exchange.target.query["operation"] {
            guard dashboard.renderer.shows(.operation(id)) else { throw .unknownOperation(id) }
            return .operation(id)
        }
        guard let id = exchange.target.query["store"] else { return nil }
        guard dashboard.renderer.shows(.store(id)) else { throw .unknownStore(id) }
        return .store(id)
    }
}
