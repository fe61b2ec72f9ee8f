import Foundation
import WeirFlows

extension HTTPExchange {
    /// Reads the whole body of a 2xx answer to a GET of a URL that an operator has configured.
    ///
    /// An operator's own setting is trusted, wherever it leads; the targets of redirects are not. Throws
    /// ``HTTPFailure``, also for another status and for a body longer than the limit, `CancellationError`, and what `read`
    /// throws. `isOwn` says that the URL leads to this very server.
    func fetch<Value: Sendable>(
        _ url: String, isOwn: Bool = false, limit: Int, timeout: Duration,
        read: @escaping @Sendable (Data) throws -> Value
    ) async throws -> Value {
        let request = Request(
            url: url, isConfigured: true, isOwn: isOwn, keeping: limit, limit: Int64(limit), timeout: timeout)
        let answer = try await perform(request) { _ in }
        try answer.check()
        guard answer.isWhole else { throw HTTPFailure.tooLong(limit: Int64(limit)) }
        return try await WorkPool.answers.run { try read(answer.body) }
    }
}
