import Foundation

/// A server's answer, as far as it was read.
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

    /// The length that a header field announces; nil for anything but decimal digits of a number that fits.
    static func length(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }

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

/// One header field of an HTTP answer.
package struct HeaderField: Codable, Hashable, Sendable {
    /// The name as the server wrote it.
    package let name: String
    /// The value.
    package let value: String

    /// Creates a field.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
