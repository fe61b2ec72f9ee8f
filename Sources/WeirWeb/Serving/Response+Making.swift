import HTTPTypes
import Hummingbird
import NIOCore
import WeirFlows
import WeirPages
import WeirStates

extension Response {
    static func text(
        _ text: String, type: String, status: HTTPResponse.Status = .ok, caching: String, headers: HTTPFields = [:]
    ) -> Response {
        bytes(ByteBuffer(string: text), type: type, status: status, caching: caching, headers: headers)
    }

    static func bytes(
        _ bytes: ByteBuffer, type: String, status: HTTPResponse.Status = .ok, caching: String,
        headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        headers[.cacheControl] = caching
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }

    /// Returns a JSON response that caches do not store.
    static func json(
        _ value: JSONValue, type: String = "application/json", status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) throws(Problem) -> Response {
        do {
            return text(try value.text() + "\n", type: type, status: status, caching: "no-store", headers: headers)
        } catch {
            throw .internalError
        }
    }

    /// Returns a rendered page that browsers revalidate on each visit, compressed if the exchange allows it.
    static func page(_ html: String, for exchange: Exchange? = nil, status: HTTPResponse.Status = .ok) -> Response {
        let bytes = ByteBuffer(string: html)
        return page(bytes, compressed: exchange?.acceptsGzip == true ? Gzip.compress(bytes) : nil, status: status)
    }

    private static func page(
        _ bytes: ByteBuffer, compressed: ByteBuffer?, status: HTTPResponse.Status = .ok
    ) -> Response {
        var headers: HTTPFields = [.vary: pageVariance]
        if compressed != nil { headers[.contentEncoding] = "gzip" }
        return .bytes(
            compressed ?? bytes, type: "text/html; charset=utf-8", status: status, caching: "no-cache",
            headers: headers)
    }

    /// Renders a page on the threads of a pool, since its contents can be long.
    ///
    /// Throws ``Problem/crowdedAnswers`` if the pool's queue is full.
    static func page(
        for exchange: Exchange, _ render: @escaping @Sendable () -> String
    ) async throws(Problem) -> Response {
        let acceptsGzip = exchange.acceptsGzip
        let (bytes, compressed) = try await WorkPool.pages.answer {
            let bytes = ByteBuffer(string: render())
            return (bytes, acceptsGzip ? Gzip.compress(bytes) : nil)
        }
        return page(bytes, compressed: compressed)
    }

    /// Returns a shared page, compressed if the client accepts gzip, or 304 if the browser has it.
    static func page(_ document: PageCache.Document, for frame: PageFrame, _ exchange: Exchange) -> Response {
        let tag = document.tag(for: frame)
        var headers: HTTPFields = [.vary: pageVariance, .eTag: tag.field, .cacheControl: "no-cache"]
        if tag.isKnown(to: exchange.header(.ifNoneMatch)) { return Response(status: .notModified, headers: headers) }
        let compressed = exchange.acceptsGzip ? document.compressed(for: frame) : nil
        if compressed != nil { headers[.contentEncoding] = "gzip" }
        return bytes(
            compressed ?? document.filled(for: frame), type: "text/html; charset=utf-8", caching: "no-cache",
            headers: headers)
    }

    private static let pageVariance = "Accept-Encoding, Accept-Language, Cookie"

    static func seeOther(_ location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
    }

    /// Returns a redirect to the only address of a page.
    static func moved(to location: String) -> Response {
        Response(status: .permanentRedirect, headers: [.location: location, .cacheControl: "no-store"])
    }

    /// Returns the response without its body: with the length of the body if it is known, else without one.
    func head() -> Response {
        var head = createHeadResponse()
        if body.contentLength == nil {
            head.headers[.contentLength] = headers[.contentLength]
            // Without a length, HTTP/1.1 ends the empty body with bytes that a client does not expect after a head.
            if head.headers[.contentLength] == nil { head.headers[.connection] = "close" }
        }
        return head
    }

    init(_ answer: PollAnswer) {
        self.init(status: answer.status, headers: answer.fields, body: ResponseBody(byteBuffer: answer.body))
        if answer.closes { headers[.connection] = "close" }
    }
}

extension Response {
    /// Returns the response with a body that counts against `memory` until its client has received it.
    ///
    /// Throws ``Problem/crowdedAnswers`` if the memory is exhausted.
    func counted(in memory: BodyBudget) throws(Problem) -> Response {
        // Streamed bodies have no length and limit themselves.
        guard let length = body.contentLength, length > BodyBudget.freeAnswer else { return self }
        let share = memory.share()
        guard share.grow(by: length) else { throw .crowdedAnswers }
        var response = self
        response.body = ResponseBody(contentLength: length) { [body] writer in
            defer { withExtendedLifetime(share) {} }
            try await body.write(writer)
        }
        return response
    }

    /// Returns the response with a body that writes each piece only after the connection has processed the previous one.
    ///
    /// Writes of a task are queued on the connection's event loop. Without pacing, a task would not notice that the client
    /// reads slowly, and would queue the whole body on a busy loop.
    func paced(on connection: DashboardContext?) -> Response {
        // Small responses are one piece.
        guard let connection, body.contentLength.map({ $0 > BodyBudget.freeAnswer }) ?? true else { return self }
        var response = self
        response.body = ResponseBody(contentLength: body.contentLength) { [body] writer in
            try await body.write(PacedWriter(writer: writer, connection: connection))
        }
        return response
    }
}

/// Writes a piece after the connection has processed the previous one.
private struct PacedWriter: ResponseBodyWriter {
    var writer: any ResponseBodyWriter
    let connection: DashboardContext

    mutating func write(_ buffer: ByteBuffer) async throws {
        try await writer.write(buffer)
        await connection.settleWrites()
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await writer.finish(trailingHeaders)
        await connection.settleWrites()
    }
}
