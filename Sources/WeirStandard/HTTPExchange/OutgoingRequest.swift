package import Foundation
import NIOHTTP1
package import WeirOperations

/// A request that another target makes, under the policy for outgoing requests.
package struct OutgoingRequest: Sendable {
    /// Where a request has come to.
    package enum Step: Sendable, Hashable {
        /// The host's name is being looked up, or a connection to it is being made.
        case connecting(host: String)
        /// The request is sent, and its answer awaited.
        case sending
        /// The answer arrives: how many bytes of its body, and of how many, if that is known.
        case receiving(bytes: Int64, total: Int64?)
    }

    /// What the server answered.
    package struct Answer: Sendable {
        /// The status code.
        package let status: Int
        /// The words beside it.
        package let reason: String
        /// The body, or its beginning.
        package let body: Data
        /// Whether that is all of the body.
        package let isWhole: Bool
        /// The beginning of the body as text; empty where it is no text.
        package let text: String
    }

    /// How many bytes of an answer are kept and read.
    package static let bodyLimit = 1_000_000

    private let request: HTTPExchange.Request
    private let environment: OperationEnvironment

    /// Makes a request; nothing is sent yet.
    ///
    /// A redirect is followed within the same origin only, since headers and body may hold what is meant for that origin
    /// alone; any other is the answer.
    ///
    /// - Parameters:
    ///   - method: What is asked for, such as `POST`.
    ///   - url: Where, as an absolute `http` or `https` URL.
    ///   - headers: The header fields besides those that every request has.
    ///   - body: What is sent along.
    ///   - timeout: How long it may take, the whole answer included.
    ///   - environment: The time, the resolver, and where requests may go.
    package init(
        _ method: String, _ url: String, headers: [HeaderField] = [], body: String? = nil, timeout: Duration,
        environment: OperationEnvironment
    ) {
        request = HTTPExchange.Request(
            method: HTTPMethod(rawValue: method), url: url, staysAtOrigin: true, body: body, headers: headers,
            keeping: Self.bodyLimit, limit: Int64(Self.bodyLimit), timeout: timeout)
        self.environment = environment
    }

    /// Sends the request, and prints what is sent and what comes.
    ///
    /// - Parameters:
    ///   - output: Takes the lines.
    ///   - onStep: Called with each step, when it begins to be true.
    /// - Returns: The answer, whatever its status.
    /// - Throws: ``HTTPFailure``, and `CancellationError`.
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
