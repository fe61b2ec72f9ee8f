package import Foundation
import NIOHTTP1
package import WeirOperations

/// An HTTP request made by another target, subject to the outgoing policy.
package struct OutgoingRequest: Sendable {
    package enum Step: Sendable, Hashable {
        /// The name is being resolved, or a connection is being made.
        case connecting(host: String)
        /// The request is sent, and the response is pending.
        case sending
        /// The response is arriving; `total` is nil if unknown.
        case receiving(bytes: Int64, total: Int64?)
    }

    package struct Answer: Sendable {
        package let status: Int
        package let reason: String
        /// The body, or its beginning.
        package let body: Data
        /// Whether `body` is complete.
        package let isWhole: Bool
        /// The beginning of the body as text; empty if it is not text.
        package let text: String
    }

    /// The maximum number of body bytes read and kept.
    package static let bodyLimit = 1_000_000

    private let request: HTTPExchange.Request
    private let environment: OperationEnvironment

    /// Creates a request without sending it.
    ///
    /// Redirects are followed within the same origin only, because headers and body may be confidential to it; others are
    /// returned.
    ///
    /// - Parameters:
    ///   - method: The method, such as `POST`.
    ///   - url: An absolute `http` or `https` URL.
    ///   - headers: Header fields in addition to the default ones.
    ///   - body: The request body.
    ///   - timeout: The time limit for the whole exchange.
    ///   - environment: The clock, the resolver and the outgoing policy.
    package init(
        _ method: String, _ url: String, headers: [HeaderField] = [], body: String? = nil, timeout: Duration,
        environment: OperationEnvironment
    ) {
        request = HTTPExchange.Request(
            method: HTTPMethod(rawValue: method), url: url, staysAtOrigin: true, body: body, headers: headers,
            keeping: Self.bodyLimit, limit: Int64(Self.bodyLimit), timeout: timeout)
        self.environment = environment
    }

    /// Sends the request and logs the exchange.
    ///
    /// - Parameters:
    ///   - output: Receives the log.
    ///   - onStep: Called at the start of each step.
    /// - Returns: The response, with any status.
    /// - Throws: ``HTTPFailure``, or `CancellationError`.
    package func send(output: OutputWriter, onStep: @escaping @Sendable (Step) -> Void) async throws -> Answer {
        let trace = HTTPTrace(output, elapsed: environment.stopwatch())
        let answer = try await HTTPExchange(environment: environment).perform(request, trace: trace) { event in
            onStep(Step(event))
        }
        return Answer(
            status: answer.status, reason: answer.reason.inert(limit: 60), body: answer.body, isWhole: answer.isWhole,
            text: answer.text(limit: HTTPRequestOperation.textLimit))
    }
}

extension OutgoingRequest.Step {
    fileprivate init(_ event: HTTPEvent) {
        switch event {
        case .resolving(let host), .connecting(let host, _, _): self = .connecting(host: host)
        case .waiting: self = .sending
        case .receiving(_, let bytes, let total): self = .receiving(bytes: bytes, total: total)
        }
    }
}

/// Posts a message to a URL configured by an operator.
///
/// The URL may lead anywhere. Redirects are not followed, because header fields and body may hold secrets for that URL only.
package struct HTTPPost: Sendable {
    private let exchange: HTTPExchange

    package init(environment: OperationEnvironment) { exchange = HTTPExchange(environment: environment) }

    package struct Answer: Sendable, Hashable {
        package let status: Int
        /// The delay in seconds requested by the receiver.
        package let retryAfter: Int64?
        /// The first line of the body, visible characters only.
        package let words: String
    }

    /// Sends a message.
    ///
    /// - Parameters:
    ///   - body: The request body.
    ///   - url: The URL.
    ///   - headers: Header fields by name.
    ///   - timeout: The time limit for the whole exchange.
    /// - Returns: The response, with any status.
    /// - Throws: ``HTTPFailure``, or `CancellationError` on cancellation.
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
