import NIOCore
import NIOEmbedded
import Testing

@testable import Web

/// What is known of the streams of a connection of HTTP/2, for as long as there is the connection.
struct StreamHoldsTests {
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
