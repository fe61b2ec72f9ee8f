import WeirBoards
import WeirJournals
import WeirPages

extension AudienceDashboard {
    /// What a live page shows, and the sequence of the last change of its topic that it shows.
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
        // The head is read first: what happens in between is shown twice rather than not at all.
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
        case .overview, .run, .store: (.board(view), head)
        }
    }

    /// The schedule that an operation's page shows; nil on other pages, and where there is none.
    func schedule(on name: PageName) async throws(Problem) -> ScheduleView? {
        guard case .operation(let id) = name else { return nil }
        do { return try await board.schedule(of: id) } catch { throw Problem(error) }
    }

    /// The store of that id, as the catalog has it.
    func store(_ id: String) throws(Problem) -> StoreEntry {
        guard let entry = board.catalog.store(id) else { throw .unknownStore(id) }
        return entry
    }

    /// What a run's page shows of what the run printed; nil on other pages, and where nothing will be printed.
    func output(on name: PageName, _ locale: PageLocale) async throws(Problem) -> PageOutput? {
        guard case .run(let id) = name else { return nil }
        let tail: OutputTail
        do {
            let prints = try await board.catalog[board.run(id).record.operation]?.prints
            if prints == false { return nil }
            tail = try await board.outputTail(of: id)
            // Most runs of an operation that may print do not; while one goes on, lines may still come.
            if prints == nil || tail.isClosed, tail.head == 0 { return nil }
        } catch {
            throw Problem(error)
        }
        let page = LivePage(.output(id), locale)
        let cursor = tail.isClosed ? nil : pollResponder.answers.cursor(page, sequence: tail.head, after: nil)
        return PageOutput(tail: tail, cursor: cursor)
    }
}
