import Hummingbird
import WeirBoards
import WeirStates

/// What a person decides at a step of a run.
struct RunDecisions {
    let dashboard: AudienceDashboard

    func create(of run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let sent = try await fields(exchange)
        guard let step = sent["step"], let words = sent["decision"], ["approve", "refuse"].contains(words) else {
            throw .malformedBody(.decision)
        }
        let receipt: StartReceipt
        do {
            receipt = try await dashboard.board.decide(
                run, step: step, isApproved: words == "approve", comment: sent["comment"], actor: exchange.actor)
        } catch {
            throw Problem(error)
        }
        return try await CommandAnswer(dashboard: dashboard, receipt: receipt).response(exchange, status: .accepted)
    }

    private func fields(_ exchange: Exchange) async throws(Problem) -> [String: String] {
        let limit = Int64(dashboard.configuration.maximumBodyBytes)
        var body = BodyReader(exchange, limit: limit, budget: dashboard.bodies)
        let bytes = try await body.collect()
        guard let type = ContentType(exchange.header(.contentType)), type.isForm || type.isJSON else {
            throw .unsupportedMediaType(accepted: "application/json, application/x-www-form-urlencoded")
        }
        return try await bytes.read { (bytes) throws(Problem) in
            guard type.isForm else { return (try JSONValue(body: bytes).object ?? [:]).compactMapValues(\.string) }
            return try FormFields(body: bytes).dictionary
        }
    }
}
