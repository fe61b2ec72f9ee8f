/// Why an HTTP request failed in the end: the last attempt's failure, which attempt it was, and what the server said.
public struct HTTPRequestError: ExplainedError, Sendable {
    /// The last attempt's failure.
    public let failure: HTTPFailure
    /// The last attempt.
    public let attempt: Attempt
    /// How long all attempts took together.
    public let milliseconds: Int64
    /// The status, when a server answered.
    public let status: Int?
    /// The beginning of what it answered.
    public let text: String?

    /// Makes an error.
    public init(
        failure: HTTPFailure, attempt: Attempt, milliseconds: Int64, status: Int? = nil, text: String? = nil
    ) {
        self.failure = failure
        self.attempt = attempt
        self.milliseconds = milliseconds
        self.status = status
        self.text = text
    }

    /// The failure's sentence, and the number of attempts where there was more than one.
    public var description: String {
        attempt.of == 1 ? failure.description : "\(failure.description) (Attempt \(attempt.number) of \(attempt.of).)"
    }
}
