import Hummingbird
import WeirBoards

/// Cancelling a run.
struct RunCancellations {
    let dashboard: AudienceDashboard

    func create(of run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let receipt: StartReceipt
        do {
            receipt = try await dashboard.board.cancel(run, actor: exchange.actor)
        } catch {
            throw Problem(error)
        }
        return try await CommandAnswer(dashboard: dashboard, receipt: receipt).response(exchange, status: .accepted)
    }
}
