package import WeirOperations
import WeirStates

/// What an HTTP request is started with.
package struct HTTPRequestInput: OperationInput, Hashable {
    /// What a request may ask for.
    package enum Method: String, Codable, Sendable, CaseIterable {
        /// Asks for what is there.
        case GET
        /// Asks for the head of what is there.
        case HEAD
        /// Hands something over.
        case POST
        /// Puts something there.
        case PUT
        /// Changes a part of what is there.
        case PATCH
        /// Removes what is there.
        case DELETE
        /// Asks what can be done.
        case OPTIONS
    }

    /// What is asked for.
    package let method: Method
    /// Where, as an absolute `http` or `https` URL.
    package let url: String
    /// What is sent along, as plain text.
    package let body: String?
    /// The only status that counts as success; without one, any from 200 to 299 does.
    package let expectedStatus: Int?
    /// How long an attempt may take, in seconds; 30 without one.
    package let timeout: Double?
    /// How often it is tried at most; once without one.
    package let attempts: Int?

    /// How long an attempt may take, within the bounds that the field has, as inputs may also come from other code.
    var limit: Duration? {
        timeout.flatMap { $0.isNaN ? nil : .seconds(min(max($0, Self.timeouts.lowerBound), Self.timeouts.upperBound)) }
    }

    private static let timeouts = 0.1...600

    /// The fields of the form.
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

    /// Creates the input.
    package init(
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
