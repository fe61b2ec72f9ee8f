import NIOCore
import Testing
import WeirStates

@testable import WeirWeb

/// Who is let go when all connections are taken.
struct EvictionTests {
    private final class Name {}

    private func second(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private func address(_ text: String) throws -> ConnectionAddress {
        ConnectionAddress(try SocketAddress(ipAddress: text, port: 1))
    }

    /// Chooses among those who stand so, by their place in the list.
    private func choose(
        _ list: [(String, ConnectionMachine.Activity)], _ count: Int
    ) throws -> [Int] {
        let names = list.map { _ in Name() }
        let candidates = try zip(names, list).map { name, each in
            Eviction.Candidate(id: ObjectIdentifier(name), address: try address(each.0), activity: each.1)
        }
        let chosen = Eviction.choose(candidates, count: count, now: second(100))
        return withExtendedLifetime(names) {
            chosen.compactMap { each in names.firstIndex { ObjectIdentifier($0) == each.id } }
        }
    }

    @Test func `who asks nothing goes first, then the slow, then held polls, then long work, and newcomers not at all`()
        throws
    {
        let list: [(String, ConnectionMachine.Activity)] = [
            ("192.0.2.1", .busy(second(99))), ("192.0.2.1", .busy(second(10))), ("192.0.2.1", .held(second(1))),
            ("192.0.2.1", .held(second(2))), ("192.0.2.1", .slow(second(3))), ("192.0.2.1", .idle(second(99))),
            ("192.0.2.1", .idle(second(98))), ("192.0.2.1", .idle(second(100))),
        ]
        #expect(try choose(list, 9) == [6, 5, 4, 2, 3, 1])
        #expect(try choose(list, 2) == [6, 5])
        #expect(try choose(list, 0) == [])
        #expect(try choose(list, -1) == [])
    }

    @Test func `who is leaving already is one of those that make room, and nobody goes in its place`() throws {
        let list: [(String, ConnectionMachine.Activity)] = [
            ("192.0.2.1", .held(second(1))), ("192.0.2.1", .leaving), ("192.0.2.1", .held(second(2))),
        ]
        #expect(try choose(list, 1) == [])
        #expect(try choose(list, 2) == [0])
        #expect(try choose(list, 9) == [0, 2])
    }

    @Test func `a crowd from one address makes room itself before a viewer from another`() throws {
        let viewer = ("198.51.100.7", ConnectionMachine.Activity.idle(second(1)))
        let crowd = (0..<5).map { ("192.0.2.1", ConnectionMachine.Activity.held(second(50 + Int64($0)))) }
        #expect(try choose([viewer] + crowd, 4) == [1, 2, 3, 4])
        // When each has one left, who asks nothing goes before who follows.
        #expect(try choose([viewer] + crowd, 5) == [1, 2, 3, 4, 0])
    }

    @Test func `an address is all of IPv4, and the network of IPv6`() throws {
        #expect(try address("192.0.2.1") != address("192.0.2.2"))
        #expect(try address("2001:db8:1:2::1") == address("2001:db8:1:2:ffff::9"))
        #expect(try address("2001:db8:1:2::1") != address("2001:db8:1:3::1"))
        #expect(ConnectionAddress(nil) == ConnectionAddress(nil))
        #expect(try address("::ffff:192.0.2.1") == address("192.0.2.1"))
        #expect(try address("::ffff:192.0.2.1") != address("::ffff:192.0.2.2"))
    }

    @Test func `a quarter of the files is left for what is no connection`() {
        #expect(FileLimit.connections(files: 64) == 32)
        #expect(FileLimit.connections(files: 256) == 192)
        #expect(FileLimit.connections(files: 1_024) == 768)
        #expect(FileLimit.connections(files: 65_536) == 24_000)
        #expect(FileLimit.connections(files: .max) == 24_000)
        #expect(FileLimit.connections(files: 10) == 8)
        #expect(FileLimit.current > 0)
    }
}
