import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import WeirStates

/// Answers assistants over HTTP (the Streamable HTTP transport of MCP): each POST has one message and one answer in JSON.
///
/// There are no sessions, and no messages that the server begins. The tools send requests to the API with the sender's
/// rights, which are checked, limited and audited like all others.
struct AssistantRoute {
    private static let version = HTTPField.Name.known("MCP-Protocol-Version")

    /// The header fields of the message itself, which its requests do not have.
    private static let ownFields: [HTTPField.Name] = [
        .contentType, .contentLength, .ifNoneMatch, .ifModifiedSince, .prefer, .idempotencyKey, .acceptEncoding,
        .expect,
        .transferEncoding,
    ]

    let dashboard: AudienceDashboard
    let exchange: Exchange
    /// Answers a request as the sender of this one.
    let respond: @Sendable (Request) async -> Response

    func answer() async throws(Problem) -> Response {
        if let asked = exchange.header(Self.version), !AssistantServer.versions.contains(asked) {
            throw Problem(
                "malformed-header", .badRequest, "Malformed header",
                "MCP-Protocol-Version must be one of \(AssistantServer.versions.joined(separator: ", ")).")
        }
        guard ContentType(exchange.header(.contentType))?.isJSON == true else {
            throw .unsupportedMediaType(accepted: "application/json")
        }
        var body = BodyReader(exchange, limit: Int64(AssistantServer.messageLimit), budget: dashboard.bodies)
        let text = String(buffer: try await body.collect())
        let (scheme, host) = (
            exchange.request.head.scheme == "https" ? "https" : "http", exchange.request.head.authority
        )
        let address = exchange.origin?.accounts.address(host: host) ?? "\(scheme)://\(host ?? "localhost")"
        let server = AssistantServer(
            version: dashboard.configuration.version, allowsChanges: dashboard.configuration.assistantsMayChange,
            address: address + dashboard.mount.prefix, api: send)
        guard let answer = await server.answer(text) else {
            return Response(status: .accepted, headers: [.cacheControl: "no-store"])
        }
        return try .json(answer)
    }

    private func send(_ sent: AssistantTools.Request) async throws -> AssistantTools.Answer {
        let path = (["api", "v1"] + sent.path.map { PercentEncoding.encode($0) }).joined(separator: "/")
        let query = FormFields(sent.query.map { FormFields.Field(name: $0.name, value: $0.value) }).text
        var head = exchange.request.head
        head.method = HTTPRequest.Method(sent.method) ?? .get
        head.path = dashboard.mount.url(path) + (query.isEmpty ? "" : "?" + query)
        // The rest names the sender: the host, a cookie with its origin, and the actor's field.
        for name in Self.ownFields { head.headerFields[values: name] = [] }
        head.headerFields[.accept] = "application/json"
        var body = RequestBody(buffer: ByteBuffer())
        if let value = sent.body {
            head.headerFields[.contentType] = "application/json"
            body = RequestBody(buffer: ByteBuffer(string: try value.text()))
        }
        let response = await respond(Request(head: head, body: body))
        let text = ResponseText()
        try await response.body.write(ResponseText.Writer(text: text))
        return AssistantTools.Answer(
            status: response.status.code, body: try? JSONValue(parsing: String(buffer: text.bytes)))
    }
}

/// Collects the body of a response.
private final class ResponseText: Sendable {
    private let collected = Mutex(ByteBuffer())

    var bytes: ByteBuffer { collected.withLock { $0 } }

    func add(_ piece: ByteBuffer) { collected.withLock { _ = $0.writeImmutableBuffer(piece) } }

    struct Writer: ResponseBodyWriter {
        let text: ResponseText

        mutating func write(_ buffer: ByteBuffer) async throws { text.add(buffer) }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
