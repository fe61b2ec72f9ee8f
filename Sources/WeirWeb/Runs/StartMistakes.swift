import HTTPTypes
import Hummingbird
import WeirBoards
import WeirOperations
import WeirPages

/// What is answered to an input that does not fit: a document, or the form with what was typed and the mistakes beside it.
struct StartMistakes {
    let dashboard: AudienceDashboard

    func answer(
        _ error: BoardError, operation: String, _ sent: SentInput, _ exchange: Exchange
    ) async throws(Problem) -> Response {
        guard error.code == .invalidInput || !error.fields.isEmpty, !exchange.route.isForPrograms, !exchange.wantsJSON
        else {
            throw Problem(error)
        }
        let draft = FormDraft(
            values: sent.typed, errors: error.fields, message: error.fields.isEmpty ? error.message : nil)
        return try await LivePages(dashboard: dashboard).show(.operation(operation), draft: draft, exchange)
    }
}
