import HTTPTypes
import Hummingbird
import NIOCore
import WeirFlows
import WeirPages
import WeirStates

extension Response {
    /// An answer of text in a media type.
    static func text(
        _ text: String, type: String, status: HTTPResponse.Status = .ok, caching: String, headers: HTTPFields = [:]
    ) -> Response {
        bytes(ByteBuffer(string: text), type: type, status: status, caching: caching, headers: headers)
    }

    /// An answer of bytes in a media type.
    static func bytes(
        _ bytes: ByteBuffer, type: String, status: HTTPResponse.Status = .ok, caching: String,
        headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        headers[.cacheControl] = caching
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: bytes))
    }

    /// An answer of the API, never kept.
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

    /// A page that was rendered for one request, asked for anew at each visit; compressed where the request is given and
    /// allows it.
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

    /// A page that is rendered for one request, on the threads of a pool, since its contents can be long.
    ///
    /// Throws ``Problem/crowdedAnswers`` if too many such pages wait.
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

    /// A page that was rendered for all who are shown the same, compressed for whoever takes it so; or that it is still
    /// what the browser has.
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

    /// What a page depends on besides its address.
    private static let pageVariance = "Accept-Encoding, Accept-Language, Cookie"

    /// Sends a browser to another page by GET.
    static func seeOther(_ location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
    }

    /// A poll's answer.
    init(_ answer: PollAnswer) {
        self.init(status: answer.status, headers: answer.fields, body: ResponseBody(byteBuffer: answer.body))
        if answer.closes { headers[.connection] = "close" }
    }
}
