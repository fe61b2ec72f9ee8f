import HTTPTypes
import Hummingbird
import WeirBoards
import WeirJournals
import WeirPages
import WeirStates

struct RunStarts {
    let dashboard: AudienceDashboard

    func create(of operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let entry = dashboard.board.catalog[operation] else { throw .unknownOperation(operation) }
        let key = try exchange.idempotencyKey()
        let (sent, file) = try await InputBody(
            dashboard: dashboard, exchange: exchange, entry: entry, key: key
        ).read()
        let pipe = file == nil ? nil : UploadPipe()
        let receipt: StartReceipt
        do {
            receipt = try await dashboard.board.start(
                entry.id, input: sent.input, content: pipe, actor: exchange.actor, idempotencyKey: key)
        } catch {
            var answer = try await StartMistakes(dashboard: dashboard).answer(
                error, operation: entry.id, sent, exchange)
            if file != nil { answer.headers[.connection] = "close" }
            return answer
        }
        var end = IncomingFile.End.whole
        if var file, let pipe {
            end = await receive(&file, into: pipe, of: receipt)
        }
        if case .broken(let failure) = end, let problem = Problem(stoppedBy: failure) {
            var isForPrograms = false
            if case .api = exchange.route { isForPrograms = true }
            throw problem.located(dashboard.mount.url((isForPrograms ? "api/v1/runs/" : "runs/") + receipt.run))
        }
        // A repeated key results in the first request's answer; a run that was joined was not created by this request.
        let status: HTTPResponse.Status = receipt.isNew || key != nil ? .created : .ok
        var response = try await CommandAnswer(dashboard: dashboard, receipt: receipt).response(
            exchange, status: status)
        if case .whole = end {} else { response.headers[.connection] = "close" }
        return response
    }

    /// Streams the file to the run until it has ended.
    private func receive(
        _ file: inout IncomingFile, into pipe: UploadPipe, of receipt: StartReceipt
    ) async -> IncomingFile.End {
        guard receipt.isNew else {
            pipe.close()
            return .left
        }
        let board = dashboard.board
        Task {
            await board.outcome(of: receipt.run)
            pipe.close()
        }
        return await file.pump(into: pipe)
    }
}

struct RunRetries {
    let dashboard: AudienceDashboard

    /// Retries a run from its failed steps, or from the step `from`, and keeps the steps that do not depend on these.
    func `continue`(_ run: String, _ exchange: Exchange) async throws(Problem) -> Response {
        let key = try exchange.idempotencyKey()
        let from = try await dashboard.sentTexts("from", in: exchange)["from"]
        let receipt: StartReceipt
        do {
            receipt = try await dashboard.board.retryFromFailedStep(
                run, from: from, actor: exchange.actor, idempotencyKey: key)
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
            // Secrets are not stored, so the form asks for them again; the other fields are filled in.
            var sent = sent
            if sent.isEmpty {
                sent.typed = SentInput.texts(of: before.record.opening.input)
                sent.isRecorded = true
            }
            return try await StartMistakes(dashboard: dashboard).answer(error, operation: entry.id, sent, exchange)
        }
        return try await CommandAnswer(dashboard: dashboard, receipt: receipt).response(exchange, status: .created)
    }
}

/// The response to an invalid input: a problem document, or the form with the sent values and the mistakes.
struct StartMistakes {
    let dashboard: AudienceDashboard

    func answer(
        _ error: BoardError, operation: String, _ sent: SentInput, _ exchange: Exchange
    ) async throws(Problem) -> Response {
        guard error.code == .invalidInput || !error.fields.isEmpty, !exchange.route.isForPrograms, !exchange.wantsJSON
        else {
            throw Problem(error)
        }
        var draft = FormDraft(
            values: sent.typed, errors: error.fields, message: error.fields.isEmpty ? error.message : nil)
        draft.isRecorded = sent.isRecorded
        return try await LivePages(dashboard: dashboard).show(.operation(operation), draft: draft, exchange)
    }
}
