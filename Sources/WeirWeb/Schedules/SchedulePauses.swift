import Hummingbird
import Logging
import WeirBoards
import WeirStates

/// Pausing a schedule, and letting it go on.
struct SchedulePauses {
    let dashboard: AudienceDashboard

    func pause(_ operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let view: ScheduleView
        do {
            view = try await dashboard.board.pauseSchedule(of: operation, actor: exchange.actor)
        } catch {
            throw Problem(error)
        }
        dashboard.logger.notice(
            "A schedule was paused.", metadata: ["operation": "\(operation)", "actor": "\(Quoted(exchange.actor))"])
        return try answer(view, exchange)
    }

    func resume(_ operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let view: ScheduleView
        do {
            view = try await dashboard.board.resumeSchedule(of: operation)
        } catch {
            throw Problem(error)
        }
        dashboard.logger.notice(
            "A schedule goes on.", metadata: ["operation": "\(operation)", "actor": "\(Quoted(exchange.actor))"])
        return try answer(view, exchange)
    }

    /// A browser goes back to where it came from: the list, or the operation's page.
    private func answer(_ view: ScheduleView, _ exchange: Exchange) throws(Problem) -> Response {
        guard case .api = exchange.route else {
            return exchange.wantsJSON ? try .json(view.json) : .seeOther(exchange.wayBack(in: dashboard.mount))
        }
        return try .json(view.json)
    }
}
