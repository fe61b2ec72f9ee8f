import Foundation
import NIOCore

/// The address that a connection comes from, as far as it tells clients apart: of IPv6 the first 64 bits, because one client
/// may have all that follow.
struct ConnectionAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ address: SocketAddress?) {
        // By their places in `sockaddr_in` and `sockaddr_in6`, which are the same on all systems: the names of the members
        // come from one module or another, as the packages that are built beside this one have it.
        switch address {
        case .v4(let address): bytes = Self.bytes(4..<8, of: .v4(address))
        case .v6(let address): bytes = Self.bytes(8..<16, of: .v6(address))
        case .unixDomainSocket, nil: bytes = []
        }
    }

    private static func bytes(_ range: Range<Int>, of address: SocketAddress) -> [UInt8] {
        // Unsafe memory: the bytes are copied within the call that lends them, and it lends at least 16 and 28.
        address.withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)[range]) }
    }
}
