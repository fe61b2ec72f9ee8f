import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages

/// A store's page as of an earlier change.
struct StorePast {
    let dashboard: AudienceDashboard

    /// The page after the change of that sequence, or after the one before the newest.
    func show(_ store: String, at moment: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let board = dashboard.board
        let latest: StoreView
        do { latest = try board.store(store) } catch { throw Problem(error) }
        let previous = latest.log.dropFirst().first?.sequence ?? latest.sequence
        let sequence = moment == "previous" ? previous : try exchange.moment(moment)
        let view: StoreView
        let next: SequenceNumber?
        do {
            view = try await board.store(store, at: sequence)
            next = try await board.changes(of: .store(store), after: view.sequence, limit: 1).changes.first?.sequence
        } catch {
            throw Problem(error)
        }
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.past(view, latest: latest, next: next, frame: frame)
        }
    }
}
