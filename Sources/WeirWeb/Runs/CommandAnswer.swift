import HTTPTypes
import Hummingbird
import WeirBoards
import WeirJournals
import WeirStates

/// What a command on a run answers, each client in its way: a program of the API, a form sent by script, a plain form.
///
/// The command has had its effect by now, so no answer made here is an error: whoever gets an error sends a request again.
/// What could not be recorded yet is answered with 202 and the address where it will be.
struct CommandAnswer {
    let dashboard: AudienceDashboard
    let receipt: StartReceipt

    /// The answer; a program gets this status when the change is recorded.
    func response(_ exchange: Exchange, status: HTTPResponse.Status) async throws(Problem) -> Response {
        guard case .api = exchange.route else { return try page(exchange) }
        let headers: HTTPFields = [.location: dashboard.mount.url("api/v1/runs/" + receipt.run)]
        let record: RunRecord
        do {
            record = try await dashboard.board.run(receipt.run).record
        } catch {
            // It is not recorded yet, or the journal cannot be read just now.
            return try .json(brief, status: receipt.sequence == nil ? .accepted : status, headers: headers)
        }
        return try .json(record.json, status: status, headers: headers)
    }

    /// What is known of a run whose record cannot be shown.
    private var brief: JSONValue {
        var members: [String: JSONValue] = ["id": .string(receipt.run), "recorded": .bool(receipt.sequence != nil)]
        members["sequence"] = receipt.sequence.map { .integer($0.rawValue) }
        members["detail"] =
            receipt.sequence == nil
            ? "The run has begun and could not be recorded yet. Its address shows it as soon as it is recorded; do not start it again."
            : "The run is recorded and cannot be shown at the moment. Its address shows it; do not start it again."
        return .object(members)
    }

    private func page(_ exchange: Exchange) throws(Problem) -> Response {
        let location = dashboard.mount.url("runs/" + receipt.run)
        guard exchange.wantsJSON else { return .seeOther(location) }
        guard let sequence = receipt.sequence else {
            return try .json(["location": .string(location)], status: .accepted)
        }
        let cursor = FeedCursor(epoch: dashboard.board.epoch, sequence: sequence)
        return try .json(["cursor": .string(cursor.description), "location": .string(location)])
    }
}
