import Foundation
import Logging
import NIOCore
import NIOEmbedded
import Testing
import TestSupport

@testable import WeirWeb

/// How a server stops accepting when it can take nobody in, and goes on when it can.
struct AcceptLimiterTests {
    /// A connection that can be let go.
    private final class Held: ChannelInboundHandler, RegisteredConnection {
        typealias InboundIn = Never
        private(set) var isLetGo = false

        func activity() -> ConnectionMachine.Activity? { isLetGo ? nil : .held(.uptimeNanoseconds(0)) }

        func closeNow() {}

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard case .some(.makeRoom) = event as? ConnectionEvent else { return }
            isLetGo = true
            context.close(promise: nil)
        }
    }

    /// A listening socket that is none, with its time in hand.
    private struct Listener {
        let channel: EmbeddedChannel
        let log = CapturedLog(level: .trace)
        let registry = ConnectionRegistry()

        init(most: Int, lacksFiles: @escaping () -> Bool = { false }) {
            let limiter = AcceptLimiter(
                most: most, limits: ConnectionLimits(), registry: registry, logger: log.logger,
                onPressure: {}, lacksFiles: lacksFiles)
            channel = EmbeddedChannel(handler: limiter)
        }

        var isAccepting: Bool {
            channel.options.allSatisfy { option, value in
                !(option is ChannelOptions.Types.AutoReadOption) || value as? Bool == true
            }
        }

        /// Somebody connects.
        func connect() throws -> EmbeddedChannel {
            let client = EmbeddedChannel(handler: nil, loop: channel.embeddedEventLoop)
            try channel.writeInbound(client as any Channel)
            return client
        }

        /// Somebody connects whose poll is held.
        func connectHeld() throws -> Held {
            let held = Held()
            let client = EmbeddedChannel(handler: nil, loop: channel.embeddedEventLoop)
            try client.pipeline.syncOperations.addHandler(held)
            registry.add(client, held)
            try channel.writeInbound(client as any Channel)
            return held
        }

        func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
    }

    @Test func `without a file left nobody is accepted for a moment, the log says why, and the listening goes on`()
        throws
    {
        let listener = Listener(most: 10)
        listener.channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
        // An error that came through would end the listening.
        #expect(throws: Never.self) { try listener.channel.throwIfErrorCaught() }
        #expect(!listener.isAccepting)
        let warnings = listener.log.messages(at: .warning)
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("too few file descriptors left") == true)
        listener.pass(.milliseconds(100))
        #expect(listener.isAccepting)
        listener.pass(.seconds(7))
        #expect(listener.log.messages(at: .notice) == ["There is room for connections again."])
    }

    @Test func `connections leave the last files to the rest of the process`() throws {
        var lacksFiles = false
        let listener = Listener(most: 10) { lacksFiles }
        let held = try listener.connectHeld()
        #expect(listener.isAccepting)
        lacksFiles = true
        _ = try listener.connectHeld()
        #expect(!listener.isAccepting)
        listener.pass(.milliseconds(1))
        #expect(held.isLetGo)
        lacksFiles = false
        listener.pass(.milliseconds(100))
        #expect(listener.isAccepting)
    }

    @Test func `any other error of a listening socket is not kept from whoever listens`() throws {
        let listener = Listener(most: 10)
        listener.channel.pipeline.fireErrorCaught(IOError(errnoCode: EBADF, reason: "accept"))
        #expect(throws: IOError.self) { try listener.channel.throwIfErrorCaught() }
        #expect(listener.isAccepting)
    }

    @Test func `a crowd is over when as many are left as there may be, and the log says so once`() throws {
        let listener = Listener(most: 2)
        let clients = try (0..<3).map { _ in try listener.connect() }
        #expect(listener.log.messages(at: .warning).count == 1)
        listener.pass(.seconds(20))
        #expect(listener.log.messages(at: .notice).isEmpty)
        try clients[0].close().wait()
        listener.pass(.seconds(7))
        #expect(listener.log.messages(at: .notice) == ["There is room for connections again."])
        listener.pass(.seconds(20))
        #expect(listener.log.messages(at: .notice).count == 1 && listener.log.messages(at: .warning).count == 1)
    }

    @Test func `room is made for each who comes while all connections are in use, not only for the first`() throws {
        let listener = Listener(most: 2)
        var clients = try (0..<2).map { _ in try listener.connectHeld() }
        for count in 1...3 {
            clients.append(try listener.connectHeld())
            listener.pass(.milliseconds(1))
            #expect(clients.count { $0.isLetGo } == count)
        }
    }

    @Test func `far more than there may be wait to be accepted until some have left`() throws {
        let listener = Listener(most: 2)
        let clients = try (0..<6).map { _ in try listener.connect() }
        #expect(!listener.isAccepting)
        listener.pass(.seconds(1))
        #expect(!listener.isAccepting)
        try clients[0].close().wait()
        listener.pass(.zero)
        #expect(listener.isAccepting)
    }
}
