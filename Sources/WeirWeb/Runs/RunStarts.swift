import HTTPTypes
import Hummingbird
import WeirBoards
import WeirOperations
import WeirStates

/// Starting a run of an operation.
struct RunStarts {
    let dashboard: AudienceDashboard

    func create(of operation: String, _ exchange: Exchange) async throws(Problem) -> Response {
        guard let entry = dashboard.board.catalog[operation] else { throw .unknownOperation(operation) }
        let key = try exchange.idempotencyKey()
        switch try await InputBody(dashboard: dashboard, exchange: exchange, entry: entry, key: key).read() {
        case .input(let sent):
            return try await start(entry, sent, file: nil, key: key, exchange)
        case .file(let sent, let file):
            return try await start(entry, sent, file: file, key: key, exchange)
        }
    }

    private func start(
        _ entry: CatalogEntry, _ sent: SentInput, file: consuming IncomingFile?, key: String?, _ exchange: Exchange
    ) async throws(Problem) -> Response {
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
        // A repeated key gets the answer of the first request; a run that was joined is not this request's making.
        let status: HTTPResponse.Status = receipt.isNew || key != nil ? .created : .ok
        var response = try await CommandAnswer(dashboard: dashboard, receipt: receipt).response(
            exchange, status: status)
        if case .whole = end {} else { response.headers[.connection] = "close" }
        return response
    }

    /// Reads the file while its run takes it; stops when the run has ended.
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
