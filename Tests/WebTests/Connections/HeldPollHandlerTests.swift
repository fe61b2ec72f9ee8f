import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(5)))
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
}
