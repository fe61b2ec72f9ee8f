import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing
import WeirStates

@testable import WeirWeb

@Suite(.timeLimit(.minutes(15)))
struct HeldPollHandlerTests {
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    /// What whoever watches over the connection is told.
    private final class Said: ChannelOutboundHandler {
        typealias OutboundIn = Never
        var began = 0
        var ended = 0

        func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
            if case .some(.holdBegan) = event as? ConnectionEvent { began += 1 }
            if case .some(.holdEnded) = event as? ConnectionEvent { ended += 1 }
            promise?.succeed()
        }
    }

    private static func get(_ path: String) -> HTTPRequestPart {
        .head(HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path))
    }

    @Test func `while a poll is held, a client is read only until enough waits behind it`() async throws {
        try await TestServer.run { server in
            let tail = try server.tail()
            let reads = Reads()
            let channel = EmbeddedChannel(handlers: [reads, HeldPollHandler(server.dashboard)])
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
            try channel.writeInbound(Self.get(tail))
            try channel.writeInbound(HTTPRequestPart.end(nil))
            #expect(server.dashboard.held == 1)
            channel.read()
            #expect(reads.count == 1)
            for _ in 0..<32 {
                try channel.writeInbound(Self.get("/health/live"))
                try channel.writeInbound(HTTPRequestPart.end(nil))
            }
            channel.read()
            #expect(reads.count == 1)
            // Nothing left the queue, so there is no room for more.
            channel.pipeline.fireChannelWritabilityChanged()
            #expect(reads.count == 1)
            #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
            _ = try channel.finish()
            #expect(server.dashboard.held == 0)
        }
    }

    @Test func `a held poll whose place others need is answered, to come back after a while, and its connection stays`()
        async throws
    {
        try await TestServer.run { server in
            for path in [try server.tail(), "/api/v1/streams/board?offset=now&live=long-poll"] {
                let said = Said()
                let channel = EmbeddedChannel(handlers: [said, HeldPollHandler(server.dashboard)])
                channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
                // Nobody waits yet, so there is nothing to answer.
                channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
                try channel.writeInbound(Self.get(path))
                try channel.writeInbound(HTTPRequestPart.end(nil))
                #expect(server.dashboard.held == 1)
                #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
                channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
                #expect(server.dashboard.held == 0)
                var ends = 0
                while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
                    if case .end = part { ends += 1 }
                }
                #expect(ends == 1)
                // A connection that holds nothing any more is closed like any other when it asks nothing.
                #expect(said.began == 1 && said.ended == 1)
                _ = try channel.finish(acceptAlreadyClosed: true)
            }
        }
    }

    @Test func `a client that ends its side while its poll is held leaves no open connection behind`() async throws {
        try await TestServer.run { server in
            let channel = EmbeddedChannel(handlers: [HeldPollHandler(server.dashboard)])
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
            try channel.writeInbound(Self.get(try server.tail()))
            try channel.writeInbound(HTTPRequestPart.end(nil))
            #expect(server.dashboard.held == 1)
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            #expect(server.dashboard.held == 0)
            #expect(!channel.isActive)
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test func `a poll does not overtake the answers to a poll of an unknown feed and to a request behind it`()
        async throws
    {
        try await TestServer.run { server in
            let channel = EmbeddedChannel(handlers: [HeldPollHandler(server.dashboard)])
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
            for path in ["/live/1/nothing/x/0/0", "/health/live", "/live/1/board/x/0/0"] {
                try channel.writeInbound(Self.get(path))
                try channel.writeInbound(HTTPRequestPart.end(nil))
            }
            #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test func `a poll that waits because its client takes nothing is answered when the client takes something again`()
        async throws
    {
        try await TestServer.run { server in
            let connection = try EmbeddedConnection(ConnectionLimits())
            defer { connection.finish() }
            let pipeline = connection.channel.pipeline.syncOperations
            let watch = try pipeline.handler(type: ConnectionGuard.self)
            try pipeline.addHandler(HeldPollHandler(server.dashboard), position: .after(watch))
            let paths = ["/health/live", "/live/1/board/x/0/0"]
            try connection.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
            connection.channel.isWritable = false
            connection.answer("alive")
            #expect(try connection.received().hasSuffix("alive"))
            connection.channel.isWritable = true
            connection.channel.pipeline.fireChannelWritabilityChanged()
            #expect(try connection.received().hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `a poll that is answered at once waits while its client takes nothing`() async throws {
        try await TestServer.run { server in
            let channel = EmbeddedChannel(handlers: [HeldPollHandler(server.dashboard)])
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
            channel.isWritable = false
            for _ in 0..<10 {
                try channel.writeInbound(Self.get("/live/1/board/x/0/0"))
                try channel.writeInbound(HTTPRequestPart.end(nil))
            }
            #expect(try channel.readOutbound(as: HTTPResponsePart.self) == nil)
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
            var answers = 0
            while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
                if case .end = part { answers += 1 }
            }
            #expect(answers == 10)
            _ = try channel.finish()
        }
    }

    @Test func `a poll behind two requests is answered after both of their answers`() async throws {
        try await TestServer.run { server in
            let channel = EmbeddedChannel(handlers: [HeldPollHandler(server.dashboard)])
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
            for path in ["/health/live", "/health/live", "/live/1/board/x/0/0"] {
                try channel.writeInbound(Self.get(path))
                try channel.writeInbound(HTTPRequestPart.end(nil))
            }
            for ends in [1, 2] {
                try channel.writeOutbound(HTTPResponsePart.end(nil))
                var answered = 0
                while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
                    if case .end = part { answered += 1 }
                }
                #expect(answered == ends)
            }
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test func `a reader of a stream whose place others need is told why, and to come back on another connection`()
        async throws
    {
        try await TestServer.run { server in
            let channel = EmbeddedChannel(handlers: [HeldPollHandler(server.dashboard)])
            channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
            try channel.writeInbound(Self.get("/api/v1/streams/board?offset=now&live=long-poll"))
            try channel.writeInbound(HTTPRequestPart.end(nil))
            channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
            var head: HTTPResponse?
            var body = ""
            while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
                if case .head(let response) = part { head = response }
                if case .body(let piece) = part { body += String(buffer: piece) }
            }
            #expect(head?.status == .serviceUnavailable && head?.headerFields[.connection] == "close")
            #expect(!channel.isActive)
            #expect(try JSONValue(parsing: body)["detail"]?.string == Problem.crowdedStreams.detail)
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }
}
