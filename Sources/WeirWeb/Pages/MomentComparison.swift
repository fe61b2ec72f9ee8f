import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages

/// Two moments of a run or a store and what differs between them: `a`, and `b`, or the newest one without it.
struct MomentComparison {
    let dashboard: AudienceDashboard

    func show(_ name: PageName, _ exchange: Exchange) async throws(Problem) -> Response {
        let query = exchange.target.query
        guard let first = query["a"], !first.isEmpty else {
            throw .malformedQuery(
                "a", .queryChange)
        }
        let a = try exchange.moment(first)
        let second = query["b"] ?? ""
        guard let pair = try await pair(name, a, second.isEmpty ? nil : try exchange.moment(second)) else {
            throw .noSuchPage
        }
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in renderer.moments(pair, frame: frame)
        }
    }

    private func pair(
        _ name: PageName, _ first: SequenceNumber, _ second: SequenceNumber?
    ) async throws(Problem) -> MomentPair? {
        let board = dashboard.board
        do {
            switch name {
            case .run(let id):
                let (one, other) = (
                    try await board.moment(of: id, at: first), try await board.moment(of: id, at: second ?? .max)
                )
                return .run(one.run, other.run, newest: other.newest)
            case .store(let id):
                let newest = try board.store(id)
                let one = try await board.store(id, at: first)
                guard let second else { return .store(one, newest, newest: newest) }
                return .store(one, try await board.store(id, at: second), newest: newest)
            default:
                return nil
            }
        } catch {
            throw Problem(error)
        }
    }
}
