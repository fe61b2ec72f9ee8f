import NIOHTTP1
package import WeirFlows
package import WeirOperations

/// Sends an HTTP request and shows each step of it: name, connection, request, answer, retries.
package struct HTTPRequestOperation: OutputOperation {
    /// What requests are held to.
    package struct Configuration: Sendable {
        /// How many bytes of an answer are read before the connection is cut.
        package let bodyLimit: Int64
        /// How long an attempt may take where the input does not say.
        package let timeout: Duration
        /// How long to wait between attempts.
        package let backoff: Backoff

        /// Creates a configuration.
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

    /// Creates the operation.
    package init(_ configuration: Configuration = .init(), environment: OperationEnvironment = .init()) {
        self.configuration = configuration
        self.environment = environment
    }

    /// Tries as often as the input says, and prints what is sent and what comes; throws ``HTTPRequestError``, which
    /// becomes `error`.
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
