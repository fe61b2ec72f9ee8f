/// A place that an operator lets requests go to: an address, a network, a host's name, or one port of a host.
package struct OutgoingAllowance: Hashable, Sendable {
    private enum Place: Hashable, Sendable {
        case network(IPNetwork)
        case name(String)
    }

    private let place: Place
    private let port: Port?

    /// Reads an allowance.
    ///
    /// - Parameter text: `192.0.2.7`, `fd00::1`, `10.0.0.0/8`, `feeds.example.com`, and with a port `192.0.2.7:8080`,
    ///   `[fd00::1]:8080`, `localhost:8080`. Nil for any other text; no port is looked up by its name.
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

    /// Whether it names the port, so that it also allows what is at that port of this machine.
    var namesPort: Bool { port != nil }

    /// Whether a request to the host, which is about to connect to one of its addresses, may go there.
    ///
    /// An IPv4 address is given as one, also where it is written as an IPv6 one.
    func covers(host: String, address: IPAddress, port: Port) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        switch place {
        case .network(let network): return network.contains(address)
        case .name(let name): return name == Self.plain(host.lowercased())
        }
    }

    /// The name without the point that ends a full one.
    private static func plain(_ name: String) -> String { name.hasSuffix(".") ? String(name.dropLast()) : name }

    /// Letters, digits, hyphens and underscores between points; the last label is no number, as then it is an address.
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
