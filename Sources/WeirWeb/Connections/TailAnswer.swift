import HTTPTypes
import NIOCore

/// The answer to a request that may be held, ready to be written.
protocol TailAnswer: Sendable {
    var status: HTTPResponse.Status { get }
    /// What is said of the body and of what caches may do with it.
    var fields: HTTPFields { get }
    var body: ByteBuffer { get }
    /// Whether the connection ends with this answer.
    var closes: Bool { get }
    /// The whole answer as HTTP/1.1 writes it, where many are given the same; nil where it is encoded for each.
    var message: ByteBuffer? { get }
}

extension TailAnswer {
    /// The head of the answer at a moment in milliseconds since 1970.
    func head(at wall: Int64) -> HTTPResponse {
        var fields = fields
        // An answer without content says nothing of its length (RFC 9110, section 8.6).
        if status != .noContent { fields[.contentLength] = String(body.readableBytes) }
        fields[.date] = HTTPDate.text(wall)
        SecurityHeaders.add(to: &fields, isPage: false)
        return HTTPResponse(status: status, headerFields: fields)
    }

    /// The whole answer as HTTP/1.1 writes it (RFC 9112), for a connection that continues.
    func encoded(at wall: Int64) -> ByteBuffer {
        let head = head(at: wall)
        var message = ByteBuffer()
        message.reserveCapacity(512 + body.readableBytes)
        message.writeString("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n")
        for field in head.headerFields { message.writeString("\(field.name.rawName): \(field.value)\r\n") }
        message.writeString("\r\n")
        message.writeImmutableBuffer(body)
        return message
    }
}
