import Hummingbird
import WeirBoards

/// Deletes an ended run by a request of the API.
struct RunDeletions {
    let dashboard: AudienceDashboard

    func delete(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
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
