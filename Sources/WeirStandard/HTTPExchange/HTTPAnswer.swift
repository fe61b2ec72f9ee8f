import Foundation

/// An HTTP response, as far as it was read.
struct HTTPAnswer: Sendable {
    var status = 0
    var reason = ""
    /// The final URL, after redirects.
    var url = ""
    var headers: [HeaderField] = []
    var body = Data()
    /// The number of body bytes read.
    var size: Int64 = 0
    var announced: Int64?
    /// Whether the whole body was read.
    var isWhole = true

    /// The value of a length field; nil if it is not a decimal number or overflows.
    static func length(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
    }

    /// The target of a redirect; nil for any other response.
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

package struct HeaderField: Codable, Hashable, Sendable {
    /// The name in the server's spelling.
    package let name: String
    let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

enum HTTPEvent: Sendable {
    case resolving(host: String)
    /// The name is resolved, and a connection to this address is being made.
    case connecting(host: String, address: String, port: Int)
    /// The connection is open, and the request is being sent.
    case waiting(method: String, url: String)
    /// The response is arriving; `bytes` of its body have arrived.
    case receiving(status: Int, bytes: Int64, total: Int64?)

    var step: HTTPStep {
        switch self {
        case .resolving: .resolving
        case .connecting: .connecting
        case .waiting: .waiting
        case .receiving: .receiving
        }
    }
}
