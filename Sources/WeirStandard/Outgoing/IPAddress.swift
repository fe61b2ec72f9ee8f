import Foundation

/// An IPv4 or IPv6 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 4 or 16 bytes in network byte order.
    let bytes: [UInt8]

    /// Creates an address from 4 or 16 bytes; nil for other counts.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses an address in full notation: four decimal numbers, or the forms of RFC 4291.
    ///
    /// A zone is ignored.
    ///
    /// Returns nil for other notations such as `127.1`, which are left to the resolver.
    package init?(_ text: some StringProtocol) {
        let plain = String(text.prefix { $0 != "%" })
        guard plain.utf8.count < 64, !plain.utf8.contains(0) else { return nil }
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            // Never traps: the count is 4 or 16.
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, plain, &bytes) == 1 {
                self.bytes = bytes
                return
            }
        }
        return nil
    }

    package var description: String {
        // Unsafe memory: the longest address has 46 bytes with its end, and the system receives the size.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let text = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, buffer.baseAddress, 64) else {
                return ""
            }
            return String(cString: text)
        }
    }

    /// The IPv4 address of an IPv4-mapped one (`::ffff:127.0.0.1`); other addresses unchanged.
    var unmapped: IPAddress {
        guard bytes.count == 16, bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) else {
            return self
        }
        return embedded(at: 12)
    }

    /// The IPv4 address embedded in an IPv6 address at a byte index up to 12.
    func embedded(at index: Int) -> IPAddress {
        IPAddress(bytes: Array(bytes.dropFirst(index).prefix(4))) ?? self
    }

    /// Whether it is the unspecified address (`0.0.0.0`, `::`), which systems treat as this machine.
    var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }
}

extension IPAddress {
    /// The reason why an address is restricted unless an operator allows it.
    enum Restriction: String, Sendable, CaseIterable {
        case thisMachine
        /// The address is on the local link, where cloud providers serve credentials.
        case linkLocal
        case privateNetwork
        /// The address is multicast or broadcast.
        case multicast
        /// The address is reserved for documentation, tests or future use.
        case reserved
    }

    /// The restriction of this address, or nil for the public internet.
    ///
    /// Follows the IANA registries of special-purpose addresses (RFC 6890 and its successors). IPv6 addresses that embed an
    /// IPv4 address are classified by it where packets are forwarded to it.
    var restriction: Restriction? {
        if let entry = Self.special.first(where: { $0.network.contains(self) }) { return entry.restriction }
        guard bytes.count == 16 else { return nil }
        if unmapped != self { return unmapped.restriction }
        if Self.sixToFour.contains(self) { return embedded(at: 2).restriction }
        if Self.translated.contains(self) { return embedded(at: 12).restriction }
        return Self.global.contains(self) ? nil : .reserved
    }

    private static let special: [(network: IPNetwork, restriction: Restriction)] =
        networks(.thisMachine, "0.0.0.0/8 127.0.0.0/8 ::/128 ::1/128")
        + networks(.linkLocal, "169.254.0.0/16 fe80::/10")
        + networks(
            .privateNetwork, "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 fc00::/7 fec0::/10 64:ff9b:1::/48")
        + networks(.multicast, "224.0.0.0/4 255.255.255.255/32 ff00::/8")
        + networks(
            .reserved,
            """
            192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 \
            ::/96 100::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16
            """)
    /// RFC 3056: the IPv4 address follows the first two bytes.
    private static let sixToFour = networks(.reserved, "2002::/16")
    /// RFC 6052: the IPv4 address is at the end.
    private static let translated = networks(.reserved, "64:ff9b::/96")
    /// RFC 4291: all allocated IPv6 addresses.
    private static let global = networks(.reserved, "2000::/3")

    private static func networks(
        _ restriction: Restriction, _ texts: String
    ) -> [(network: IPNetwork, restriction: Restriction)] {
        texts.split(separator: " ").compactMap { text in IPNetwork(text).map { ($0, restriction) } }
    }
}

extension [(network: IPNetwork, restriction: IPAddress.Restriction)] {
    fileprivate func contains(_ address: IPAddress) -> Bool { contains { $0.network.contains(address) } }
}

extension IPAddress.Restriction {
    /// The kind of address, to continue “it leads to”.
    var words: String {
        switch self {
        case .thisMachine: "this machine"
        case .linkLocal: "a link-local address"
        case .privateNetwork: "a private network"
        case .multicast: "a multicast address"
        case .reserved: "a reserved address"
        }
    }
}

/// A network in CIDR notation (RFC 4632), such as `10.0.0.0/8` or `fd00::/8`.
struct IPNetwork: Hashable, Sendable {
    private let first: IPAddress
    private let length: Int

    /// The network of a single address.
    init(_ address: IPAddress) {
        first = address.unmapped
        length = first.bytes.count * 8
    }

    /// Parses CIDR notation; nil for other texts.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(parts[0]), (1...3).contains(parts[1].utf8.count),
            // Never traps: a text that does not fit has no number.
            let length = UInt8(parts[1]), Int(length) <= address.bytes.count * 8
        else { return nil }
        // A network of IPv4-mapped addresses is stored as IPv4, because connections to it use IPv4.
        let isMapped = address.unmapped != address && length >= 96
        first = isMapped ? address.unmapped : address
        self.length = isMapped ? Int(length) - 96 : Int(length)
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        for (index, (mine, other)) in zip(first.bytes, address.bytes).enumerated() {
            let bits = min(max(length - index * 8, 0), 8)
            if (mine ^ other) >> (8 - bits) != 0 { return false }
        }
        return true
    }
}
