extension IPAddress {
    /// Why requests are kept from an address unless an operator allows it.
    package enum Restriction: String, Sendable, CaseIterable {
        /// It leads to this machine.
        case thisMachine
        /// It leads to a machine of the same link, where clouds offer their machines' credentials.
        case linkLocal
        /// It leads to a machine of a private network.
        case privateNetwork
        /// It leads to many machines, or to nobody in particular.
        case multicast
        /// It is set aside for documentation, tests or a use to come.
        case reserved
    }

    /// Why requests are kept from this address; nil for an address of the public internet.
    ///
    /// By the registries of special-purpose addresses of IANA (RFC 6890 and its successors). An address of version 6 in
    /// which one of version 4 is embedded is judged by that one, where packets are sent on to it.
    package var restriction: Restriction? {
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
    /// RFC 3056: the address of version 4 follows the first two bytes.
    private static let sixToFour = networks(.reserved, "2002::/16")
    /// RFC 6052: the address of version 4 is at the end.
    private static let translated = networks(.reserved, "64:ff9b::/96")
    /// RFC 4291: all addresses of version 6 that have been given to anybody.
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
    /// What an address of this kind is, to continue from “it leads to”.
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
