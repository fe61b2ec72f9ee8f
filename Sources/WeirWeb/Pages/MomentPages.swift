import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages

/// Pages of the past: runs and operations as they stood right after a change.
///
/// `?at=N` names the change; of one that is another's, the page's own last change before counts. `?at=previous` leads to
/// the change before the newest, `?offset=N` to the run's last change within so many milliseconds of its beginning, and
/// `?step=N` to where a strip by steps stands at N. Where a form sends both, `by=time` decides for the first.
struct MomentPages {
    let dashboard: AudienceDashboard

    /// The page of the moment that the query names; nil if it names none.
    func show(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response? {
        let query = exchange.target.query
        let isByTime = query["by"] == "time"
        if let step = query["step"], !isByTime || query["offset"] == nil {
            let value = try Self.number(step, "step", .queryStep)
            return try await lead(name, run: query["run"], isByTime: isByTime) { (run) async throws(Problem) in
                try await self.sequence(of: run, step: value)
            }
        }
        if let offset = query["offset"] {
            let value = try Self.number(offset, "offset", .queryOffset)
            return try await lead(name, run: query["run"], isByTime: isByTime) { (run) async throws(Problem) in
                try await self.sequence(of: run, after: value)
            }
        }
        guard let at = query["at"] else { return nil }
        if at == "previous" {
            let newest = try await moment(of: name, at: .max)
            return newest.map { lead(name, to: $0.previous ?? $0.past.pastMoment.sequence, isByTime) }
        }
        let sequence = try exchange.moment(at)
        guard let moment = try await moment(of: name, at: sequence) else { return nil }
        let ahead = sequence > dashboard.board.feed.head(of: .board) ? sequence : nil
        var frame = exchange.frame(dashboard)
        frame.isByTime = isByTime
        return try await .page(for: exchange) { [renderer = dashboard.renderer, frame] in
            renderer.document(moment.past, ahead: ahead, frame: frame)
        }
    }

    private func moment(
        of name: PageName, at sequence: SequenceNumber
    ) async throws(Problem) -> (past: PastContent, previous: SequenceNumber?)? {
        do {
            switch name {
            case .run(let id):
                let moment = try await dashboard.board.moment(of: id, at: sequence)
                return (.run(moment), moment.previous)
            case .operation(let id):
                let moment = try await dashboard.board.moment(ofOperation: id, at: sequence)
                return (.operation(moment), moment.previous)
            default:
                return nil
            }
        } catch {
            throw Problem(error)
        }
    }

    private static func number(_ text: String, _ name: String, _ rule: ProblemWording) throws(Problem) -> Int64 {
        guard let number = Int64(text), number >= 0 else { throw .malformedQuery(name, rule) }
        return number
    }

    /// Leads to the moment of the page's run that is looked up; nil where the page has none.
    private func lead(
        _ name: PageName, run: String?, isByTime: Bool, _ find: (String) async throws(Problem) -> SequenceNumber
    ) async throws(Problem) -> Response? {
        switch name {
        case .run(let id):
            return lead(name, to: try await find(id), isByTime)
        case .operation(let id):
            guard let run = run ?? dashboard.board.view().operation(id)?.latest?.record.id else { return nil }
            return lead(name, to: try await find(run), isByTime)
        default:
            return nil
        }
    }

    private func sequence(of run: String, after offset: Int64) async throws(Problem) -> SequenceNumber {
        do { return try await dashboard.board.sequence(of: run, after: offset) } catch { throw Problem(error) }
    }

    /// The run's last change within the part of a state that a strip by steps stands at.
    private func sequence(of run: String, step value: Int64) async throws(Problem) -> SequenceNumber {
        do {
            let view = try await dashboard.board.run(run)
            guard let place = StepScale.place(of: value, in: view) else { return view.record.openedSequence }
            guard let offset = place.offset else { return place.opening }
            let found = try await dashboard.board.sequence(of: run, after: offset)
            // States that began in the same millisecond are told apart all the same.
            if let next = place.next, found >= next { return place.opening }
            return max(found, place.opening)
        } catch {
            throw Problem(error)
        }
    }

    private func lead(_ name: PageName, to sequence: SequenceNumber, _ isByTime: Bool) -> Response {
        .seeOther(dashboard.mount.url(name.path) + "?at=\(sequence)" + (isByTime ? "&by=time" : ""))
    }
}
