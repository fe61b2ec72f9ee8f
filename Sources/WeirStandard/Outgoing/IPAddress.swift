#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An address of version 4 or 6 of the Internet Protocol.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 4 or 16 bytes, the most significant first.
    let bytes: [UInt8]

    /// An address of its bytes; there must be 4 or 16.
    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// The address that is written in full: four decimal numbers, or RFC 4291's forms with or without a zone, which is
    /// left out.
    ///
    /// Nil for any other spelling, such as `127.1`: those are names, for the resolver to make addresses of.
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

    /// The address as people write it.
    package var description: String {
        // Unsafe memory: the longest address has 46 bytes with its end, and the system receives the size.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let text = inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, buffer.baseAddress, 64) else {
                return ""
            }
            return String(cString: text)
        }
    }

    /// The address of version 4 that an IPv4-mapped one (`::ffff:127.0.0.1`) leads to; any other as it is.
    var unmapped: IPAddress {
        guard bytes.count == 16, bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]) else {
            return self
        }
        return embedded(at: 12)
    }

    /// The address of version 4 that begins with one of the first 13 bytes of one of version 6.
    func embedded(at index: Int) -> IPAddress {
        IPAddress(bytes: Array(bytes.dropFirst(index).prefix(4))) ?? self
    }

    /// Whether it is the unspecified address (`0.0.0.0`, `::`), which systems treat as this machine.
    var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }
}
