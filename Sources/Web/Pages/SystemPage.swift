import Boards
import Hummingbird
import Journals
import Pages
import States

/// What the server is and how it does.
struct SystemPage {
    let dashboard: Dashboard

    func show(_ exchange: Exchange) async throws(Problem) -> Response {
        let board = dashboard.board
        let counts: [RunCount]
        let size: Int64?
        do {
            counts = try await board.counts()
            size = try await board.journalSize()
        } catch {
            throw Problem(error)
        }
        let view = board.view()
        var facts: [SystemFacts.Fact] = [
            .init("version", .text(dashboard.configuration.version)),
            .init("startedAt", .moment(dashboard.startedAt)),
            .init("uptime", .duration(dashboard.clock.wall - dashboard.startedAt.milliseconds)),
            .init("epoch", .text(board.epoch)),
            .init("sequence", .count(view.sequence)),
            .init("recording", .flag(board.recording == .recording)),
            .init("viewers", .count(Int64(board.viewers(of: .board)))),
            .init("heldPolls", .count(Int64(dashboard.desk.held))),
            .init("activeRuns", .count(Int64(view.operations.reduce(0) { $0 + $1.activeRuns }))),
            .init("mountPath", .text(dashboard.mount.description)),
        ]
        if let size { facts.append(.init("journal", .bytes(size))) }
        if let host = exchange.request.head.authority { facts.append(.init("host", .text(host))) }
        if let memory = ProcessMemory.resident() { facts.append(.init("memory", .bytes(memory))) }
        let system = SystemFacts(facts: facts, counts: counts, problems: dashboard.renderer.check())
        return .page(dashboard.renderer.system(system, frame: exchange.frame(dashboard)))
    }
}
