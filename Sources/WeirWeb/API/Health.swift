import Hummingbird
import WeirBoards
import WeirStates

/// What a supervisor asks.
struct Health {
    let dashboard: AudienceDashboard

    /// The process answers.
    func live() throws(Problem) -> Response { try .json(["status": "live"]) }

    /// The process can do its work: it records, and does not shut down.
    func ready() throws(Problem) -> Response {
        if dashboard.pollResponder.isDraining {
            throw notReady("The server is shutting down; ask another server, or try again when it is back.")
        }
        if case .notRecorded(let since, let reason) = dashboard.board.recording {
            throw notReady("Nothing has been recorded since \(since): \(reason)")
        }
        return try .json(["status": "ready", "role": .string(dashboard.board.role.rawValue)])
    }

    private func notReady(_ detail: String) -> Problem {
        Problem("not-ready", .serviceUnavailable, "Not ready", detail, headers: [.retryAfter: "5"])
    }
}
