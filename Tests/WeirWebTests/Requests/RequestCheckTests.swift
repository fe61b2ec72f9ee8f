import HTTPTypes
import Testing
import WeirStates

@testable import WeirWeb

/// What is asked of every request, at whichever door it comes in.
@Suite(.timeLimit(.minutes(15)))
struct RequestCheckTests {
    /// Sends a head as it is; the answer, after which the connection is given up.
    private static func ask(_ server: TestServer, _ head: [String]) async throws -> RawResponse {
        let connection = try await server.connect()
        try await connection.send(raw: head.joined(separator: "\r\n") + "\r\n\r\n")
        let response = try await connection.response()
        await connection.close()
        return response
    }

    @Test func `a request that does not name one server is refused, at the held feed as on pages`() async throws {
        try await TestServer.run { server in
            for path in ["/", "/api/v1/operations", "/health/live", try server.tail(), "/assets/weir.js"] {
                for head in [
                    ["GET \(path) HTTP/1.1"], ["GET \(path) HTTP/1.1", "Host:"],
                    ["GET \(path) HTTP/1.1", "Host: localhost", "Host: localhost"],
                    ["GET \(path) HTTP/1.1", "Host: localhost", "Host: evil.example"],
                    ["GET http://evil.example\(path) HTTP/1.1", "Host: localhost"],
                    ["GET http://evil.example\(path) HTTP/1.1"],
                    ["GET foo:\(path) HTTP/1.1", "Host: localhost"],
                ] {
                    let answer = try await Self.ask(server, head)
                    #expect(answer.status == 400, "\(head)")
                    #expect(answer["cache-control"] == "no-store", "\(head)")
                }
                let foreign = try await Self.ask(server, ["GET \(path) HTTP/1.1", "Host: evil.example"])
                #expect(foreign.status == 421, "\(path)")
            }
            #expect(server.dashboard.held == 0)
            let whole = try await Self.ask(
                server, ["GET http://localhost/api/v1/operations HTTP/1.1", "Host: localhost"])
            #expect(whole.status == 200)
        }
    }

    @Test func `a body has the length that was announced, also none, and without a sound announcement no length`() {
        for (fields, length) in [
            ([:], 0), ([.contentLength: "0"], 0), ([.contentLength: "7"], 7), ([.contentLength: "-7"], nil),
            ([.contentLength: "x"], nil), ([.transferEncoding: "chunked"], nil),
        ] as [(HTTPFields, Int?)] {
            let head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/", headerFields: fields)
            #expect(head.bodyLength == length, "\(fields)")
        }
    }

    @Test func `the two doors hold a request against the same list`() async throws {
        var configuration = WebConfiguration()
        configuration.actorHeader = "X-User"
        try await TestServer.run(configuration: configuration) { server in
            let tail = try server.tail()
            let user = try #require(HTTPField.Name("X-User"))
            let fields: [HTTPFields] = [
                [:], [.host: "localhost"], [user: "Ana"], [user: "a\tb"],
            ]
            for authority in ["localhost", "evil.example", "", "localhost:99999999"] {
                for fields in fields {
                    let head = HTTPRequest(
                        method: .get, scheme: "http", authority: authority, path: tail, headerFields: fields)
                    let isSound = server.dashboard.check.problem(with: head) == nil
                    #expect((server.dashboard.tail(head) != nil) == isSound, "\(authority) \(fields)")
                }
            }
        }
    }
}
