import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages

/// How an operation has done lately.
struct HealthPage {
    let dashboard: AudienceDashboard

    /// What the figures of an operation are made of, so that equal keys have equal figures.
    struct Key: Hashable, Sendable {
        let operation: String
        let head: SequenceNumber
        let rewrites: Int
        /// Of the server's time: what is within the last 30 days changes with it.
        let hour: Int64
    }

    func show(_ operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let health = try await health(operation)
        let frame = exchange.frame(dashboard)
        return try await .page(for: exchange) { [renderer = dashboard.renderer] in
            renderer.health(health, frame: frame)
        }
    }

    /// The same for programs.
    func list(_ operation: String) async throws(Problem) -> Response {
        try .json(try await health(operation).json(at: now))
    }

    private var now: Timestamp { Timestamp(milliseconds: dashboard.clock.wall) }

    private func health(_ operation: String) async throws(Problem) -> OperationHealth {
        let board = dashboard.board
        guard board.catalog[operation] != nil else { throw .unknownOperation(operation) }
        let now = self.now
        let key = Key(
            operation: operation, head: board.feed.head(of: .operation(operation)), rewrites: board.feed.rewrites,
            hour: now.milliseconds / 3_600_000)
        if let known = dashboard.healths.known(key) { return known }
        let health: OperationHealth
        do { health = try await board.health(of: operation, asOf: now) } catch { throw Problem(error) }
        return dashboard.healths.value(for: key, cost: { _ in 1 }) { health }
    }
}
