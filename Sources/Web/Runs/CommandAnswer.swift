import Boards
import HTTPTypes
import Hummingbird
import Journals
import States

/// What a command answers, each client in its way: a program of the API, a form sent by script, a plain form.
struct CommandAnswer {
    let dashboard: Dashboard
    let receipt: StartReceipt

    func response(_ exchange: Exchange, status: HTTPResponse.Status) async throws(Problem) -> Response {
        guard case .api = exchange.route else { return try page(exchange) }
        let record: RunRecord
        do { record = try await dashboard.board.run(receipt.run).record } catch { throw Problem(error) }
        return try .json(
            record.json, status: status, headers: [.location: dashboard.mount.url("api/v1/runs/" + receipt.run)])
    }

    private func page(_ exchange: Exchange) throws(Problem) -> Response {
        let location = dashboard.mount.url("runs/" + receipt.run)
        guard exchange.wantsJSON else { return .seeOther(location) }
        let cursor = FeedCursor(epoch: dashboard.board.epoch, sequence: receipt.sequence)
        return try .json(["cursor": .string(cursor.description), "location": .string(location)])
    }
}
