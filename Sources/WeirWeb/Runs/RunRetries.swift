import HTTPTypes
import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

/// Trying a run again, with the same input or another.
struct RunRetries {
    let dashboard: AudienceDashboard

    /// Takes over the steps that succeeded, and goes on with the one that did not.
    func `continue`(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let key = try exchange.idempotencyKey()
        let receipt: StartReceipt
        do {
            receipt = try await dashboard.board.retryFromFailedStep(run, actor: exchange.actor, idempotencyKey: key)
        } catch {
            throw Problem(error)
        }
        return try await CommandAnswer(dashboard: dashboard, receipt: receipt).response(exchange, status: .created)
    }

    func create(of run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let key = try exchange.idempotencyKey()
        let before: RunView
        do { before = try await dashboard.board.run(run) } catch { throw Problem(error) }
        guard let entry = dashboard.board.catalog[before.record.operation] else {
            throw .unknownOperation(before.record.operation)
        }
        let sent = try await InputBody(dashboard: dashboard, exchange: exchange, entry: entry).readWithoutFile()
        let receipt: StartReceipt
        do {
            receipt = try await dashboard.board.retry(
                run, input: sent.isEmpty ? JSONValue?.none : sent.input, actor: exchange.actor,
                idempotencyKey: key)
        } catch {
            // The form asks for the secrets again, which nobody kept; everything else is filled in.
            var sent = sent
            if sent.isEmpty { sent.typed = SentInput.texts(of: before.record.opening.input) }
            return try await StartMistakes(dashboard: dashboard).answer(error, operation: entry.id, sent, exchange)
        }
        return try await CommandAnswer(dashboard: dashboard, receipt: receipt).response(exchange, status: .created)
    }
}
