import Foundation

/// What a server answered, as far as it was read.
struct HTTPAnswer: Sendable {
    /// The status code and its words.
    var status = 0
    var reason = ""
    /// The URL that gave the answer, after redirects.
    var url = ""
    /// All header fields, in order.
    var headers: [HeaderField] = []
    /// The beginning of the body.
    var body = Data()
    /// How many bytes of the body were read.
    var size: Int64 = 0
    /// The length the server announced.
    var announced: Int64?
    /// Whether the body was read to its end.
    var isWhole = true

    /// Where a redirect leads; nil for any other answer.
    var redirection: String? {
        guard [301, 302, 303, 307, 308].contains(status) else { return nil }
        return headers.first { $0.name.lowercased() == "location" }?.value
    }

    /// Throws ``HTTPFailure/unexpectedStatus(_:reason:expected:)`` unless the status is as expected, by default any 2xx.
    func check(expected: Int? = nil) throws(HTTPFailure) {
        let isExpected = expected.map { $0 == status } ?? (200..<300).contains(status)
        guard isExpected else {
            throw .unexpectedStatus(status, reason: reason.inert(limit: 60), expected: expected)
        }
    }
}
