import NIOHTTP1
package import WeirFlows
package import WeirOperations
import WeirStates

/// Sends an HTTP request and shows each step: name, connection, request, response, retries.
package struct HTTPRequestOperation: OutputOperation {
    package struct Configuration: Sendable {
        /// The number of body bytes after which the connection is closed.
        let bodyLimit: Int64
        /// The default time limit of an attempt.
        let timeout: Duration
        let backoff: Backoff

        package init(
            bodyLimit: Int64 = 10_000_000, timeout: Duration = .seconds(30), backoff: Backoff = .init()
        ) {
            self.bodyLimit = bodyLimit
            self.timeout = timeout
            self.backoff = backoff
        }
    }

    static let textLimit = 2_048
    private let configuration: Configuration
    private let environment: OperationEnvironment

    package init(_ configuration: Configuration = .init(), environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Performs up to the given number of attempts and logs them; throws ``HTTPRequestError``.
    package func perform(
        _ input: HTTPRequestInput, state: MutableStateFlow<HTTPRequestState>, output: OutputWriter
    ) async throws {
        let elapsed = environment.stopwatch()
        let trace = HTTPTrace(output, elapsed: elapsed)
        let count = min(max(1, input.attempts ?? 1), 10)
        for number in 1...count {
            let attempt = Attempt(number, of: count)
            let failure: HTTPRequestError
            if count > 1 { trace.note("Attempt \(number) of \(count)") }
            switch try await self.attempt(attempt, input, trace, elapsed: elapsed, state: state) {
            case .success: return
            case .failure(let error): failure = error
            }
            trace.note(failure.failure.description)
            guard number < count, failure.failure.mayPass else { throw failure }
            let delay = configuration.backoff.delay(afterFailures: number, random: environment.random())
            state.value = .retrying(
                message: failure.failure.description, milliseconds: delay.milliseconds,
                attempt: Attempt(number + 1, of: count))
            trace.note("Trying again in \(delay.milliseconds) ms")
            try await environment.clock.sleep(for: delay)
        }
    }

    private func attempt(
        _ attempt: Attempt, _ input: HTTPRequestInput, _ trace: HTTPTrace, elapsed: @escaping @Sendable () -> Int64,
        state: MutableStateFlow<HTTPRequestState>
    ) async throws -> Result<Void, HTTPRequestError> {
        let request = HTTPExchange.Request(
            method: HTTPMethod(rawValue: input.method.rawValue), url: input.url, body: input.body,
            keeping: Self.textLimit, limit: configuration.bodyLimit,
            timeout: input.limit ?? configuration.timeout)
        var answer: HTTPAnswer?
        do {
            let answered = try await HTTPExchange(environment: environment).perform(request, trace: trace) { event in
                state.value = HTTPRequestState(event, attempt)
            }
            answer = answered
            try answered.check(expected: input.expectedStatus)
            state.value = HTTPRequestState(answered, milliseconds: elapsed(), attempt)
            return .success(())
        } catch let failure as HTTPFailure {
            return .failure(
                HTTPRequestError(
                    failure: failure, attempt: attempt, milliseconds: elapsed(), status: answer?.status,
                    text: answer?.text(limit: Self.textLimit)))
        }
    }
}

package struct HTTPRequestInput: OperationInput, Hashable {
    enum Method: String, Codable, Sendable, CaseIterable {
        case GET
        case HEAD
        case POST
        case PUT
        case PATCH
        case DELETE
        case OPTIONS
    }

    let method: Method
    /// An absolute `http` or `https` URL.
    let url: String
    /// Sent as plain text.
    let body: String?
    /// The only status that counts as success; nil for any 2xx.
    let expectedStatus: Int?
    /// The time limit of an attempt in seconds; nil for 30.
    let timeout: Double?
    /// The maximum number of attempts; nil for one.
    let attempts: Int?

    /// The time limit, clamped to the field's bounds because code can create inputs, too.
    var limit: Duration? {
        timeout.flatMap { $0.isNaN ? nil : .seconds(min(max($0, Self.timeouts.lowerBound), Self.timeouts.upperBound)) }
    }

    private static let timeouts = 0.1...600

    package static var fields: [InputField] {
        [
            InputField("method", "Method", .choice(Method.allCases.map(\.rawValue)), required: true, default: "GET"),
            InputField("url", "URL", .url(), required: true, help: "Absolute, such as https://example.com/."),
            InputField("body", "Body", .multiline(), help: "Sent as plain text."),
            InputField(
                "expectedStatus", "Expected status", .integer(100...599),
                help: "Any other status is an error. If empty, 200 to 299 count as success."),
            InputField("timeout", "Timeout", .number(timeouts), default: 30, help: "For each attempt.", unit: "s"),
            InputField("attempts", "Attempts", .integer(1...10), default: 1, help: "The maximum number of attempts."),
        ]
    }

    init(
        method: Method = .GET, url: String, body: String? = nil, expectedStatus: Int? = nil, timeout: Double? = nil,
        attempts: Int? = nil
    ) {
        self.method = method
        self.url = url
        self.body = body
        self.expectedStatus = expectedStatus
        self.timeout = timeout
        self.attempts = attempts
    }
}

/// The failure of an HTTP request, from its last attempt.
struct HTTPRequestError: ExplainedError, Sendable {
    let failure: HTTPFailure
    let attempt: Attempt
    /// The duration of all attempts together.
    let milliseconds: Int64
    /// The status, if there was a response.
    let status: Int?
    /// The beginning of the response body.
    let text: String?

    init(
        failure: HTTPFailure, attempt: Attempt, milliseconds: Int64, status: Int? = nil, text: String? = nil
    ) {
        self.failure = failure
        self.attempt = attempt
        self.milliseconds = milliseconds
        self.status = status
        self.text = text
    }

    /// The failure, with the number of attempts if there were several.
    var description: String {
        attempt.of == 1 ? failure.description : "\(failure.description) (Attempt \(attempt.number) of \(attempt.of).)"
    }
}
