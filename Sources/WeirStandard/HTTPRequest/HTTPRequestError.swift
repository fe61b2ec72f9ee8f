import WeirStates

/// Why an HTTP request failed in the end: the last attempt's failure, which attempt it was, and what the server said.
package struct HTTPRequestError: ExplainedError, Sendable {
    /// The last attempt's failure.
    package let failure: HTTPFailure
    /// The last attempt.
    package let attempt: Attempt
    /// How long all attempts took together.
    package let milliseconds: Int64
    /// The status, when a server answered.
    package let status: Int?
    /// The beginning of what it answered.
    package let text: String?

    /// Creates an error.
    package init(
        failure: HTTPFailure, attempt: Attempt, milliseconds: Int64, status: Int? = nil, text: String? = nil
    ) {
        self.failure = failure
        self.attempt = attempt
        self.milliseconds = milliseconds
        self.status = status
        self.text = text
    }

    /// The failure's sentence, and the number of attempts where there was more than one.
    package var description: String {
        attempt.of == 1 ? failure.description : "\(failure.description) (Attempt \(attempt.number) of \(attempt.of).)"
    }
}
