import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages

/// Renders runs and operations as they were after a past change.
///
/// `?at=N` selects the page's last change at or before sequence N, and `?at=previous` the change before the newest. `?offset=N`
/// selects the run's last change within N milliseconds of its start, and `?step=N` position N of the step slider. If a form
/// sends both, `by=time` selects `offset`.
struct MomentPages {
    let dashboard: AudienceDashboard

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

    /// Redirects to the moment that `find` returns for the page's run; nil if the page has no run.
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

    /// The run's last change in the part of a state at a position of the step slider.
    private func sequence(of run: String, step value: Int64) async throws(Problem) -> SequenceNumber {
        do {
            let view = try await dashboard.board.run(run)
            guard let place = StepScale.place(of: value, in: view) else { return view.record.openedSequence }
            guard let offset = place.offset else { return place.opening }
            let found = try await dashboard.board.sequence(of: run, after: offset)
            // States that began in the same millisecond are distinguished by sequence.
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
