import Foundation

/// An IPv4 or IPv6 address as 4 or 16 bytes.
package struct NetworkAddress: Hashable, Sendable {
    /// The address in network byte order.
    ///
    /// IPv4-mapped IPv6 addresses are stored as 4 bytes.
    let bytes: [UInt8]

    /// Parses an address without port, brackets or host name.
    ///
    /// A zone (`%eth0`) is ignored.
    ///
    /// Returns nil if the text is not an address.
    package init?(_ text: String) {
        let text = String(text.prefix { $0 != "%" })
        guard (2...45).contains(text.utf8.count) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            // Unsafe memory: the structure is as large as the bytes that are copied.
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            // Unsafe memory: the structure is as large as the bytes that are copied.
            let all = withUnsafeBytes(of: &six) { Array($0) }
            let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all.dropFirst(10).prefix(2).allSatisfy { $0 == 255 }
            bytes = isMapped ? Array(all.suffix(4)) : all
        } else {
            return nil
        }
    }

    package var isLoopback: Bool {
        bytes.count == 4 ? bytes.first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }
}

/// An address or a CIDR range such as `10.0.0.0/8`.
package struct NetworkRange: Hashable, Sendable {
    private let address: NetworkAddress
    private let length: Int

    /// Parses an address or a range; nil if the text is neither.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first, let address = NetworkAddress(first) else { return nil }
        let bits = address.bytes.count * 8
        if parts.count > 1, let last = parts.last {
            guard last.utf8.count <= 3, let length = Int(last), (0...bits).contains(length) else { return nil }
            self.length = length
        } else {
            length = bits
        }
        self.address = address
    }

    func contains(_ other: NetworkAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        var left = length
        for (own, its) in zip(address.bytes, other.bytes) {
            guard left > 0 else { return true }
            // Never traps: between one and seven bits are left.
            let mask = left >= 8 ? UInt8.max : ~(UInt8.max >> UInt8(left))
            guard own & mask == its & mask else { return false }
            left -= 8
        }
        return true
    }
}
