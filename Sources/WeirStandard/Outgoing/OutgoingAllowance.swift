/// A destination an operator allows: an address, a network, a host name, or one port of a host.
package struct OutgoingAllowance: Hashable, Sendable {
    private enum Place: Hashable, Sendable {
        case network(IPNetwork)
        case name(String)
    }

    private let place: Place
    private let port: Port?

    /// Parses an allowance; nil if the text is malformed.
    ///
    /// - Parameter text: `192.0.2.7`, `fd00::1`, `10.0.0.0/8` or `feeds.example.com`; with a port `192.0.2.7:8080`,
    ///   `[fd00::1]:8080` or `localhost:8080`. Service names are not supported.
    package init?(_ text: String) {
        let text = text.lowercased()
        if let network = text.contains("/") ? IPNetwork(text) : IPAddress(text).map(IPNetwork.init) {
            self.place = .network(network)
            self.port = nil
            return
        }
        var host = text[...]
        var port: Port?
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            guard let number = Port(text: text[text.index(after: colon)...]) else { return nil }
            (host, port) = (text[..<colon], number)
        }
        self.port = port
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard let address = IPAddress(host.dropFirst().dropLast()), address.bytes.count == 16 else { return nil }
            place = .network(IPNetwork(address))
        } else if let address = IPAddress(host) {
            guard address.bytes.count == 4 else { return nil }
            place = .network(IPNetwork(address))
        } else {
            guard Self.isName(host) else { return nil }
            place = .name(Self.plain(String(host)))
        }
    }

    /// Whether it names a port, which also allows this server's own port.
    var namesPort: Bool { port != nil }

    /// Returns whether a request to the host may connect to one of its addresses.
    ///
    /// IPv4-mapped addresses must be passed as IPv4.
    func covers(host: String, address: IPAddress, port: Port) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        switch place {
        case .network(let network): return network.contains(address)
        case .name(let name): return name == Self.plain(host.lowercased())
        }
    }

    /// The name without a trailing dot.
    private static func plain(_ name: String) -> String { name.hasSuffix(".") ? String(name.dropLast()) : name }

    /// Validates labels of letters, digits, hyphens and underscores; a numeric last label would be an address.
    private static func isName(_ text: Substring) -> Bool {
        let labels = plain(String(text)).split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, let last = labels.last, !last.utf8.allSatisfy(isDigit), !last.hasPrefix("0x")
        else {
            return false
        }
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { byte in
                    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// A TCP port from 1 to 65,535.
///
/// External numbers are validated by this type first, because a trapping conversion to 16 bits would terminate the process.
package struct Port: Hashable, Sendable, CustomStringConvertible {
    package let number: UInt16

    /// Creates a port; nil if the number is out of range.
    package init?(_ number: some BinaryInteger) {
        guard let number = UInt16(exactly: number), number > 0 else { return nil }
        self.number = number
    }

    /// Parses one to five decimal digits; nil for other texts.
    init?(text: some StringProtocol) {
        let isDecimal = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...5).contains(text.utf8.count), isDecimal, let number = UInt16(text) else { return nil }
        self.init(number)
    }

    package var description: String { String(number) }
}
