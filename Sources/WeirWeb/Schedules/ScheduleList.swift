import WeirBoards
import Hummingbird
import WeirPages
import WeirStates

/// The schedules of the operations that may be seen.
struct ScheduleList {
    let dashboard: AudienceDashboard

    /// The page of all of them.
    func show(_ exchange: Exchange) async -> Response {
        .page(
            dashboard.renderer.schedules(await dashboard.board.schedules(), frame: exchange.frame(dashboard)),
            for: exchange)
    }

    /// The same for programs.
    func list() async throws(Problem) -> Response {
        try .json(["schedules": .array(await dashboard.board.schedules().map(\.json))])
    }

    /// One of them, for programs.
    func show(_ operation: String) async throws(Problem) -> Response {
        let view: ScheduleView?
        do { view = try await dashboard.board.schedule(of: operation) } catch { throw Problem(error) }
        guard let view else {
            throw .notFound("“\(operation.prefix(64))” has no schedule. The list of schedules names those there are.")
        }
        return try .json(view.json)
    }
}
