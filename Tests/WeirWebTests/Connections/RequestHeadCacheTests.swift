import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct RequestHeadCacheTests {
    private static let fields = "Host: localhost\r\nAccept: application/json\r\nCookie: weir-name=Ada\r\n\r\n"

    private static func poll(_ path: String) -> PollRequest? { PollRequest(path: path.dropFirst("/live/1/".count)) }

    private static func head(_ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path, headerFields: fields)
    }

    private static func bytes(_ path: String, _ fields: String = fields) -> ByteBuffer {
        ByteBuffer(string: "GET \(path) HTTP/1.1\r\n\(fields)")
    }

    private static let path = "/live/1/board/abc/7/3"

    private func heads(knowing fields: HTTPFields = [:]) throws -> RequestHeadCache {
        let heads = RequestHeadCache { 0 }
        let request = try #require(Self.poll(Self.path))
        heads.remember(Self.bytes(Self.path), as: request, Self.head(Self.path, fields))
        return heads
    }

    @Test func `the same bytes are the same poll again, whoever sends them`() throws {
        let known = try #require(try heads().recognize(Self.bytes(Self.path)))
        #expect(known.request == Self.poll(Self.path))
        #expect(known.parsed == Self.head(Self.path))
    }

    @Test func `known fields and a known target of two requests are one known request`() throws {
        let heads = try heads()
        let other = "/live/1/board/abc/8/3"
        let request = try #require(Self.poll(other))
        heads.remember(Self.bytes(other, "Host: localhost\r\n\r\n"), as: request, Self.head(other))
        let known = try #require(heads.recognize(Self.bytes(other)))
        #expect(known.request == request)
        #expect(known.parsed.path == other)
    }

    @Test func `an answer is compressed for those alone whose fields say that they take it so`() throws {
        let heads = try heads()
        var request = try #require(Self.poll(Self.path))
        request.takesGzip = true
        let fields = "Host: localhost\r\nAccept-Encoding: gzip\r\n\r\n"
        heads.remember(Self.bytes(Self.path, fields), as: request, Self.head(Self.path))
        #expect(heads.recognize(Self.bytes(Self.path, fields))?.request.takesGzip == true)
        #expect(heads.recognize(Self.bytes(Self.path))?.request.takesGzip == false)
    }

    @Test(arguments: [
        "GET /live/1/board/abc/7/3 HTTP/1.1\r\nHost: elsewhere\r\nAccept: application/json\r\nCookie: weir-name=Ada\r\n\r\n",
        "GET /live/1/board/abc/7/3 HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nCookie: weir-name=Bob\r\n\r\n",
        "GET /live/1/board/abc/7/4 HTTP/1.1\r\n\(fields)",
        "GET /live/1/board/abc/7/3 HTTP/1.0\r\n\(fields)",
        "POST /live/1/board/abc/7/3 HTTP/1.1\r\n\(fields)",
        "GET  /live/1/board/abc/7/3 HTTP/1.1\r\n\(fields)",
        "GET /live/1/board/abc/7/3 HTTP/1.1\r\n\(fields)GET / HTTP/1.1\r\n\r\n",
        "GET /live/1/board/abc/7/3 HTTP/1.1\r\n\(fields)\r\n",
        "GET /live/1/board/abc/7/3 HTTP/1.1\r\nHost: localhost\r\n",
        "GET ", "\r\n\r\n", "GET \r\n\r\n", "",
    ])
    func `anything else is parsed`(_ text: String) throws {
        #expect(try heads().recognize(ByteBuffer(string: text)) == nil)
    }

    @Test func `what programs sign in with is not kept`() throws {
        let heads = try heads(knowing: [.authorization: "Bearer weir_x"])
        #expect(heads.recognize(Self.bytes(Self.path)) == nil)
    }

    @Test func `bytes that are not those of the request are not kept for it`() throws {
        let heads = RequestHeadCache { 0 }
        heads.remember(
            Self.bytes("/live/1/board/abc/8/3"), as: try #require(Self.poll(Self.path)), Self.head(Self.path))
        #expect(heads.recognize(Self.bytes("/live/1/board/abc/8/3")) == nil)
    }

    @Test func `a long head is parsed each time`() throws {
        let heads = RequestHeadCache { 0 }
        let fields = "Host: localhost\r\nCookie: a=\(String(repeating: "b", count: RequestHeadCache.longest))\r\n\r\n"
        heads.remember(Self.bytes(Self.path, fields), as: try #require(Self.poll(Self.path)), Self.head(Self.path))
        #expect(heads.recognize(Self.bytes(Self.path, fields)) == nil)
    }

    @Test func `when other host names are allowed, each head is looked at again`() throws {
        let hosts = HostCheck(allowed: ["localhost"])
        let heads = RequestHeadCache { hosts.edition }
        let request = try #require(Self.poll(Self.path))
        heads.remember(Self.bytes(Self.path), as: request, Self.head(Self.path))
        #expect(heads.recognize(Self.bytes(Self.path)) != nil)
        hosts.allow(["example.org"])
        #expect(heads.recognize(Self.bytes(Self.path)) == nil)
    }

    // MARK: On a connection

    /// A connection without a socket, which is given a parser when it needs one.
    private final class Connection: HTTPCodecInstaller {
        let channel = EmbeddedChannel()
        private(set) var isParsing = false
        private(set) var paths: [String] = []

        init(_ server: TestServer, _ heads: RequestHeadCache) throws {
            let watch = ConnectionGuard(
                limits: ConnectionLimits(), registry: ConnectionRegistry(), isUnencrypted: true, heads: heads,
                codec: self)
            try channel.pipeline.syncOperations.addHandlers([watch, HeldPollHandler(server.dashboard)])
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
            channel.read()
        }

        func install(
            on channel: any Channel, between bytes: some ChannelHandler, and requests: some ChannelHandler
        ) throws {
            isParsing = true
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                position: .after(bytes), withPipeliningAssistance: false, withErrorHandling: false)
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false), position: .before(requests))
        }

        func send(_ text: String) throws {
            try channel.writeInbound(ByteBuffer(string: text))
            channel.read()
            while let part = try channel.readInbound(as: HTTPRequestPart.self) {
                if case .head(let head) = part { paths.append(head.path ?? "") }
            }
        }

        func received() throws -> String {
            var text = ""
            while let bytes = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: bytes) }
            return text
        }

        func close() { _ = try? channel.finish(acceptAlreadyClosed: true) }
    }

    private static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    @Test func `a viewer whose poll is known is held without a parser, until another request comes`() async throws {
        try await TestServer.run { server in
            let heads = RequestHeadCache { 0 }
            let tail = try server.tail()
            let (first, second) = (try Connection(server, heads), try Connection(server, heads))
            try first.send(Self.get(tail))
            #expect(first.isParsing)
            try second.send(Self.get(tail))
            #expect(!second.isParsing)
            #expect(server.dashboard.held == 2)
            // It waits behind the poll that is held.
            try second.send(Self.get("/health/live"))
            #expect(second.isParsing && second.paths == [])
            #expect(server.dashboard.held == 2)
            second.channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
            #expect(try second.received().hasPrefix("HTTP/1.1 200 OK\r\n"))
            try second.send("")
            #expect(second.paths == ["/health/live"])
            first.close()
            second.close()
            #expect(server.dashboard.held == 0)
        }
    }

    @Test func `a known poll in pieces is parsed, and the next that comes whole is not`() async throws {
        try await TestServer.run { server in
            let heads = RequestHeadCache { 0 }
            // It is answered at once: there is no such history.
            let poll = Self.get("/live/1/board/x/0/0")
            let first = try Connection(server, heads)
            try first.send(poll)
            let answer = try first.received()
            let other = try Connection(server, heads)
            for piece in [poll.prefix(20), poll.dropFirst(20)] { try other.send(String(piece)) }
            #expect(other.isParsing)
            #expect(try other.received().contains("200 OK"))
            try other.send(poll)
            #expect(try other.received().split(separator: "\r\n").count == answer.split(separator: "\r\n").count)
            #expect(other.paths == [])
            first.close()
            other.close()
        }
    }

    @Test func `a beginning of sixteen bytes is known with its rest, and parsed if none comes`() async throws {
        try await TestServer.run { server in
            let heads = RequestHeadCache { 0 }
            let tail = try server.tail()
            let (first, second, third) = (
                try Connection(server, heads), try Connection(server, heads), try Connection(server, heads)
            )
            try first.send(Self.get(tail))
            try second.send(String(Self.get(tail).prefix(16)))
            #expect(server.dashboard.held == 1)
            try second.send(String(Self.get(tail).dropFirst(16)))
            #expect(server.dashboard.held == 2)
            #expect(!second.isParsing)
            try third.send("GET /not HTTP...")
            #expect(!third.isParsing)
            third.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            #expect(third.isParsing)
            for connection in [first, second, third] { connection.close() }
        }
    }

    @Test func `a poll that is refused is refused each time`() async throws {
        try await TestServer.run { server in
            let heads = RequestHeadCache { 0 }
            let tail = try server.tail()
            let connection = try Connection(server, heads)
            try connection.send(Self.get(tail, "Host: elsewhere.example\r\n"))
            #expect(connection.paths == [tail])
            #expect(heads.recognize(ByteBuffer(string: Self.get(tail, "Host: elsewhere.example\r\n"))) == nil)
            connection.close()
        }
    }

    @Test func `of polls that are sent together none is taken for another`() async throws {
        try await TestServer.run { server in
            let heads = RequestHeadCache { 0 }
            let connection = try Connection(server, heads)
            let (one, two) = (
                Self.get("/live/1/board/x/0/0"), Self.get("/live/1/board/x/0/0", "Accept-Encoding: gzip\r\n")
            )
            try connection.send(one + two)
            connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(5))
            #expect(try connection.received().components(separatedBy: "HTTP/1.1 200 OK").count == 3)
            #expect(heads.recognize(ByteBuffer(string: one + two)) == nil)
            #expect(heads.recognize(ByteBuffer(string: two))?.request.takesGzip != false)
            connection.close()
        }
    }

    @Test func `the answer to a known poll needs no parser either, and the next poll is known, too`() async throws {
        try await TestServer.run { server in
            let heads = RequestHeadCache { 0 }
            let poll = Self.get("/live/1/board/x/0/0")
            let (first, second) = (try Connection(server, heads), try Connection(server, heads))
            try first.send(poll)
            for _ in 0..<2 {
                try second.send(poll)
                #expect(try second.received().hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(!second.isParsing)
            }
            first.close()
            second.close()
        }
    }

    @Test func `a poll that fills what is parsed at a time is never taken for all that was sent with it`() async throws
    {
        try await TestServer.run { server in
            let heads = RequestHeadCache { 0 }
            let path = "/live/1/board/x/0/0"
            let rest = ConnectionMachine.sliceOfRequests - Self.get(path, "Cookie: a=\r\n").utf8.count
            let full = Self.get(path, "Cookie: a=\(String(repeating: "b", count: rest))\r\n")
            for _ in 0..<2 {
                let connection = try Connection(server, heads)
                try connection.send(full + Self.get(path))
                connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(5))
                #expect(try connection.received().components(separatedBy: "HTTP/1.1 200 OK").count == 3)
                connection.close()
            }
        }
    }
}
