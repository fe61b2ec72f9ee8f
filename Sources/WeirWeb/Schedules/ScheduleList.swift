import Hummingbird
import WeirBoards
import WeirFlows
import WeirPages
import WeirStates

/// The schedules of the operations that may be seen.
struct ScheduleList {
    let dashboard: AudienceDashboard

    /// The page of all of them.
    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        let (views, frame) = (try await views(), exchange.frame(dashboard))
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.schedules(views, frame: frame)
        }
    }

    /// The same for programs.
    func list() async throws(Problem) -> Response {
        try .json(["schedules": .array(try await views().map(\.json))])
    }

    private func views() async throws(Problem) -> [ScheduleView] {
        do { return try await dashboard.board.schedules(on: .pages) } catch { throw .crowdedAnswers }
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
