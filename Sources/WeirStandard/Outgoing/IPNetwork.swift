/// All addresses that begin with the same bits, written as `10.0.0.0/8` or `fd00::/8` (CIDR, RFC 4632).
package struct IPNetwork: Hashable, Sendable {
    private let first: IPAddress
    private let length: Int

    /// The network of one address.
    init(_ address: IPAddress) {
        first = address.unmapped
        length = first.bytes.count * 8
    }

    /// The network that is written as an address, a slash and a number of bits; nil for any other text.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(parts[0]), (1...3).contains(parts[1].utf8.count),
            // Never traps: a text that does not fit has no number.
            let length = UInt8(parts[1]), Int(length) <= address.bytes.count * 8
        else { return nil }
        // A network of IPv4-mapped addresses is one of version 4, since that is what connections to it lead to.
        let isMapped = address.unmapped != address && length >= 96
        first = isMapped ? address.unmapped : address
        self.length = isMapped ? Int(length) - 96 : Int(length)
    }

    /// Whether the address is one of them.
    func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == first.bytes.count else { return false }
        for (index, (mine, other)) in zip(first.bytes, address.bytes).enumerated() {
            let bits = min(max(length - index * 8, 0), 8)
            if (mine ^ other) >> (8 - bits) != 0 { return false }
        }
        return true
    }
}
