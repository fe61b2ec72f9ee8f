import Foundation
import NIOHTTP1

/// Posts a message to an address that an operator has configured, and says what came of it.
///
/// The address may lead anywhere, as an operator's own setting is trusted. Redirects are not followed: header fields and the
/// body may hold secrets, which only that address is to have.
package struct HTTPPost: Sendable {
    private let exchange: HTTPExchange

    /// Makes one that goes by an environment's clock and resolver.
    package init(environment: OperationEnvironment) { exchange = HTTPExchange(environment: environment) }

    /// What a receiver answered.
    package struct Answer: Sendable, Hashable {
        /// The status code.
        package let status: Int
        /// After how many seconds the receiver wants to be asked again.
        package let retryAfter: Int64?
        /// The first line of the answer, visible characters only.
        package let words: String
    }

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - body: What is posted.
    ///   - url: Where to.
    ///   - headers: Header fields, by name.
    ///   - timeout: The limit for everything.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``HTTPFailure``; `CancellationError` when the task is cancelled.
    package func send(
        _ body: String, to url: String, headers: [String: String], timeout: Duration
    ) async throws -> Answer {
        let fields = headers.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }
        let request = HTTPExchange.Request(
            method: .POST, url: url, isConfigured: true, body: body, headers: fields, followsRedirects: false,
            keeping: 1_000, limit: 65_536, timeout: timeout)
        let answer = try await exchange.perform(request) { _ in }
        let delay = answer.headers.first { $0.name.lowercased() == "retry-after" }.flatMap { Int64($0.value) }
        let text = String(decoding: answer.body, as: UTF8.self)
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return Answer(status: answer.status, retryAfter: delay, words: line.inert(limit: 200))
    }
}
