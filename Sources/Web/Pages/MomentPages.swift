import Boards
import Hummingbird
import Journals
import Pages

/// Pages of the past: runs and operations as they stood right after a change.
///
/// `?at=N` names the change; of one that is another's, the page's own last change before counts. `?at=previous` leads to
/// the change before the newest, and `?offset=N` to the run's last change within so many milliseconds of its beginning.
struct MomentPages {
    let dashboard: AudienceDashboard

    /// The page of the moment that the query names; nil if it names none.
    func show(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response? {
        let query = exchange.target.query
        if let offset = query["offset"] { return try await lead(name, offset: offset, run: query["run"]) }
        guard let at = query["at"] else { return nil }
        if at == "previous" {
            let newest = try await moment(of: name, at: .max)
            return newest.map { lead(name, to: $0.previous ?? $0.past.pastMoment.sequence) }
        }
        let sequence = try exchange.moment(at)
        guard let moment = try await moment(of: name, at: sequence) else { return nil }
        let ahead = sequence > dashboard.board.feed.head(of: .board) ? sequence : nil
        return .page(
            dashboard.renderer.document(moment.past, ahead: ahead, frame: exchange.frame(dashboard)), for: exchange)
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

    private func lead(_ name: PageName, offset: String, run: String?) async throws(Problem) -> Response? {
        guard let milliseconds = Int64(offset), milliseconds >= 0 else {
            throw .malformedQuery("offset", "must be a whole number of milliseconds, such as 1500.")
        }
        do {
            switch name {
            case .run(let id):
                return lead(name, to: try await dashboard.board.sequence(of: id, after: milliseconds))
            case .operation(let id):
                guard let run = run ?? dashboard.board.view().operation(id)?.latest?.record.id else { return nil }
                return lead(name, to: try await dashboard.board.sequence(of: run, after: milliseconds))
            default:
                return nil
            }
        } catch {
            throw Problem(error)
        }
    }

    private func lead(_ name: PageName, to sequence: SequenceNumber) -> Response {
        .seeOther(dashboard.mount.url(name.path) + "?at=\(sequence)")
    }
}
