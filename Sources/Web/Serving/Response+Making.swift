import HTTPTypes
import Hummingbird
import NIOCore
import States

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

    /// A page, asked for anew at each visit.
    static func page(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
        page(ByteBuffer(string: html), status: status)
    }

    /// A page, asked for anew at each visit.
    static func page(_ html: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        bytes(
            html, type: "text/html; charset=utf-8", status: status, caching: "no-cache",
            headers: [.vary: "Accept-Language, Cookie"])
    }

    /// Sends a browser to another page by GET.
    static func seeOther(_ location: String) -> Response {
        Response(status: .seeOther, headers: [.location: location, .cacheControl: "no-store"])
    }

    /// A poll's answer.
    init(_ answer: PollAnswer) {
        self = .bytes(
            answer.body, type: answer.contentType, status: answer.status, caching: answer.caching.rawValue)
        if answer.closes { headers[.connection] = "close" }
    }
}
