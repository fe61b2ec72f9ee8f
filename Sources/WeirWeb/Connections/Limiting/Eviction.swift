import NIOCore

/// Selects the connections to close when all are in use.
///
/// The address with the most connections loses one first. Within an address, the order is: idle, slow, held polls, then
/// requests in progress for longer than `patience`; within each kind, longest first. Connections opened or answered within the
/// last `moment` are exempt, because their client is about to send a request.
enum Eviction {
    struct Candidate: Sendable {
        let id: ObjectIdentifier
        let address: ConnectionAddress
        let activity: ConnectionMachine.Activity
    }

    /// The time that a request may be in progress before its connection is asked to close after the answer.
    static let patience: TimeAmount = .seconds(2)

    /// The time after opening or an answer during which a connection is exempt.
    static let moment: TimeAmount = .seconds(1)

    /// Selects connections so that `count` of them close, best candidates first; those already closing count toward the total.
    static func choose(_ candidates: [Candidate], count: Int, now: NIODeadline) -> [Candidate] {
        let leaving = candidates.count { $0.activity == .leaving }
        var ranked: [(level: Int, rank: Int, since: NIODeadline, candidate: Candidate)] = []
        for all in Dictionary(grouping: candidates, by: \.address).values {
            let order = all.compactMap { candidate in
                rank(candidate.activity, now: now).map { (rank: $0.rank, since: $0.since, candidate: candidate) }
            }.sorted { ($0.rank, $0.since) < ($1.rank, $1.since) }
            // After the nth connection of an address is selected, the address has n fewer.
            for (index, each) in order.enumerated() {
                ranked.append((all.count - index, each.rank, each.since, each.candidate))
            }
        }
        ranked.sort { ($1.level, $0.rank, $0.since) < ($0.level, $1.rank, $1.since) }
        return ranked.prefix(max(0, count - leaving)).map(\.candidate)
    }

    private static func rank(
        _ activity: ConnectionMachine.Activity, now: NIODeadline
    ) -> (rank: Int, since: NIODeadline)? {
        switch activity {
        case .idle(let since): now - since >= moment ? (0, since) : nil
        case .slow(let since): (1, since)
        case .held(let since): (2, since)
        case .busy(let since): now - since >= patience ? (3, since) : nil
        case .leaving: nil
        }
    }
}

/// The client address of a connection, for counting: of IPv6 only the first 64 bits, because one client can own the rest.
///
/// An IPv4-mapped IPv6 address counts as its IPv4 address.
struct ConnectionAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    init(_ address: SocketAddress?) {
        // By offset in `sockaddr_in` and `sockaddr_in6`, which is the same on all platforms; the module that declares the
        // member names depends on the packages in the build.
        switch address {
        case .v4(let address): bytes = Self.bytes(4..<8, of: .v4(address))
        case .v6(let address):
            let all = Self.bytes(8..<24, of: .v6(address))
            let isMapped = all.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
            bytes = Array(isMapped ? all.suffix(4) : all.prefix(8))
        case .unixDomainSocket, nil: bytes = []
        }
    }

    private static func bytes(_ range: Range<Int>, of address: SocketAddress) -> [UInt8] {
        // Unsafe memory: the bytes are copied within the closure that lends them; they are at least 16 and 28 long.
        address.withSockAddr { Array(UnsafeRawBufferPointer(start: $0, count: $1)[range]) }
    }
}
