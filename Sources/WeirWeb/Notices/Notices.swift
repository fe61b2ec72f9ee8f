import HTTPTypes
import Hummingbird
import WeirBoards
import WeirJournals
import WeirStates

/// What an operator should know about the journal, until they dismiss it.
struct Notices {
    let dashboard: AudienceDashboard

    func list() throws(Problem) -> Response {
        let notices = dashboard.board.notices.map { notice -> JSONValue in
            guard case .object(var members) = notice.json else { return notice.json }
            members["text"] = .string(notice.description)
            return .object(members)
        }
        return try .json(["notices": .array(notices)])
    }

    /// Dismisses a notice; a browser goes back to the page it came from, where it may find that somebody else was faster.
    func dismiss(_ id: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let isDismissed: Bool
        do { isDismissed = try await dashboard.board.dismissNotice(id) } catch { throw Problem(error) }
        guard case .api = exchange.route else {
            return exchange.wantsJSON ? try .json([:]) : .seeOther(exchange.wayBack(in: dashboard.mount))
        }
        guard isDismissed else {
            throw .notFound(.unknownNotice)
        }
        return try list()
    }
}
