import HTTPTypes
import Hummingbird
import WeirBoards
import WeirJournals

/// Shows a run, or deletes an ended one, by a request of the API.
struct RunDeletions {
    let dashboard: AudienceDashboard

    func answer(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard exchange.request.method == .delete else {
            return try await RunList(dashboard: dashboard).show(run, exchange)
        }
        do {
            let operation = try await dashboard.board.run(run).record.operation
            exchange.notes.add("operation \(operation)")
            _ = try await dashboard.board.delete(run, actor: exchange.actor)
        } catch {
            throw Problem(error)
        }
        return Response(status: .noContent)
    }
}
