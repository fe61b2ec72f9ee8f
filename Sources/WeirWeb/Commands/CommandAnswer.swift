import HTTPTypes
import Hummingbird
import WeirBoards
import WeirJournals
import WeirStates

/// The response to a command on a run, for the API, a form sent by script, or a plain form.
///
/// The command has already taken effect, so the response is never an error, which would make the client repeat the request. A
/// command that is not recorded yet results in 202 and the run's address.
struct CommandAnswer {
    let dashboard: AudienceDashboard
    let receipt: StartReceipt

    /// Returns the response; API clients get `status` once the change is recorded.
    func response(_ exchange: Exchange, status: HTTPResponse.Status) async throws(Problem) -> Response {
        guard case .api = exchange.route else { return try page(exchange) }
        let headers: HTTPFields = [.location: dashboard.mount.url("api/v1/runs/" + receipt.run)]
        let record: RunRecord
        do {
            record = try await dashboard.board.run(receipt.run).record
        } catch {
            // The run is not recorded yet, or the journal cannot be read.
            return try .json(brief, status: receipt.sequence == nil ? .accepted : status, headers: headers)
        }
        return try .json(record.json, status: status, headers: headers)
    }

    /// The run's representation if its record is unavailable.
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

struct RunDecisions {
    let dashboard: AudienceDashboard

    func create(of run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let sent = try await dashboard.sentTexts("step", "decision", "comment", in: exchange)
        guard let step = sent["step"], let words = sent["decision"], ["approve", "refuse"].contains(words) else {
            throw .malformedBody(.decision)
        }
        exchange.notes.add("\(words), step \(step)")
        let receipt: StartReceipt
        do {
            receipt = try await dashboard.board.decide(
                run, step: step, isApproved: words == "approve", comment: sent["comment"], actor: exchange.actor)
        } catch {
            throw Problem(error)
        }
        return try await CommandAnswer(dashboard: dashboard, receipt: receipt).response(exchange, status: .accepted)
    }
}

extension AudienceDashboard {
    /// The fields with these names of a small form or JSON object, all of them texts; empty for an empty body.
    func sentTexts(_ names: String..., in exchange: Exchange) async throws(Problem) -> [String: String] {
        let fields = try await sentFields(exchange)
        var texts: [String: String] = [:]
        for name in names {
            guard let value = fields[name], value != .null else { continue }
            guard let text = value.string else { throw .malformedBody(.noText, ["field": .text(name)]) }
            texts[name] = text
        }
        return texts
    }

    /// The fields of a small form or JSON object; empty for an empty body.
    func sentFields(_ exchange: Exchange) async throws(Problem) -> [String: JSONValue] {
        var body = BodyReader(exchange, limit: Int64(self.configuration.maximumBodyBytes), budget: self.bodies)
        let bytes = try await body.collect()
        return try await bytes.read { (bytes) throws(Problem) in
            if bytes.readableBytes == 0 { return [:] }
            guard let type = ContentType(exchange.header(.contentType)), type.isForm || type.isJSON else {
                throw .unsupportedMediaType(accepted: "application/json", "application/x-www-form-urlencoded")
            }
            guard type.isJSON else { return try FormFields(body: bytes).dictionary.mapValues(JSONValue.string) }
            guard let members = try JSONValue(body: bytes).object else { throw .malformedBody(.noObject) }
            return members
        }
    }
}
