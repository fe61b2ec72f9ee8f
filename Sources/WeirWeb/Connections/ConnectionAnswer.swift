import HTTPTypes
import NIOCore

/// What a connection answers by itself, where no request could be read.
struct ConnectionAnswer {
    private let kind: String
    private let status: HTTPResponse.Status
    private let title: String
    private let detail: String
    private var retryAfter: Int?

    /// What arrived is not HTTP.
    static let malformed = ConnectionAnswer(
        kind: "malformed-request", status: .badRequest, title: "Malformed request",
        detail: "What arrived is not a request of HTTP/1.1.")

    static let headerTooLarge = ConnectionAnswer(
        kind: "header-too-large", status: .requestHeaderFieldsTooLarge, title: "Header too large",
        detail:
            "The header of the request is longer than this server accepts. Send fewer or shorter fields, or a shorter URL."
    )

    static let slowHead = ConnectionAnswer(
        kind: "slow-request", status: .requestTimeout, title: "Request timeout",
        detail: "The header of the request did not arrive in time. Send it again.")

    static let tooManyConnections = ConnectionAnswer(
        kind: "too-many-connections", status: .tooManyRequests, title: "Too many connections",
        detail: "Your address has as many open connections as allowed. Close some, or try again later.",
        retryAfter: 5)

    /// A problem document that ends the connection.
    var parts: (head: HTTPResponse, body: ByteBuffer) {
        var body = ByteBuffer()
        body.writeString(#"{"type":"urn:weir:problem:\#(kind)","title":"\#(title)","status":\#(status.code),"detail":"#)
        body.writeJSON(detail)
        body.writeString("}\n")
        var fields: HTTPFields = [
            .contentType: "application/problem+json", .contentLength: String(body.readableBytes), .connection: "close",
        ]
        fields[.retryAfter] = retryAfter.map(String.init)
        return (HTTPResponse(status: status, headerFields: fields), body)
    }
}
