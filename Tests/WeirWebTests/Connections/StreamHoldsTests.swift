import NIOCore
import NIOEmbedded
import Testing

@testable import WeirWeb

/// What is known of the streams of a connection of HTTP/2, for as long as there is the connection.
struct StreamHoldsTests {
    /// An open connection.
    private func connection(_ holds: StreamHolds) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(
            EncryptedConnection(handshake: .hours(1), registry: ConnectionRegistry(), holds: holds))
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        return channel
    }

    @Test func `when others need its place, a connection that asks nothing ends at once, one that holds polls soon`()
        throws
    {
        let holds = StreamHolds()
        let (idle, held, busy) = (try connection(holds), try connection(holds), try connection(holds))
        for stream in [held, busy] { holds.opened(stream) }
        #expect(holds.begin(on: held))
        for channel in [idle, held, busy] {
            channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.makeRoom)
        }
        #expect(!idle.isActive && held.isActive)
        for channel in [held, busy] { channel.embeddedEventLoop.advanceTime(by: .seconds(2)) }
        // What is asked on a connection is answered before it goes.
        #expect(!held.isActive && busy.isActive)
        for channel in [idle, held, busy] { _ = try channel.finish(acceptAlreadyClosed: true) }
    }

    @Test func `a connection that is over leaves nothing behind of what its streams were doing`() throws {
        let (holds, registry) = (StreamHolds(), ConnectionRegistry())
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(
            EncryptedConnection(handshake: .seconds(5), registry: registry, holds: holds))
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        holds.opened(channel)
        #expect(holds.begin(on: channel))
        #expect(holds.activity(of: channel) != nil && registry.count == 1)
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(holds.activity(of: channel) == nil && registry.count == 0)
    }
}
