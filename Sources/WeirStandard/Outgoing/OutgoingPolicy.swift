import NIOCore

/// Restricts the destinations of outgoing requests.
///
/// Without it, users who can start an HTTP request could reach what only this server can reach: the server itself behind its
/// authenticating proxy, services on its loopback, cloud credentials at link-local addresses, and its private network.
/// Addresses outside the public internet are therefore refused unless an operator allows them.
///
/// The policy checks addresses, not names: the exchange resolves the name once, checks each address before connecting, and
/// connects to that address. The same applies to redirects and retries.
package struct OutgoingPolicy: Sendable {
    private let allowances: [OutgoingAllowance]
    private let ownPort: @Sendable () -> Int?
    private let ownAddresses: @Sendable () -> [IPAddress]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - allowances: The allowed destinations outside the public internet.
    ///   - ownPort: Returns this server's port at each request, or nil while it does not listen. Requests to it on this machine
    ///     are refused unless an allowance names host and port.
    package init(allowing allowances: [OutgoingAllowance] = [], ownPort: @escaping @Sendable () -> Int? = { nil }) {
        self.init(allowing: allowances, ownPort: ownPort, ownAddresses: Self.addressesOfThisMachine)
    }

    /// Creates a policy with explicit local addresses.
    init(
        allowing allowances: [OutgoingAllowance], ownPort: @escaping @Sendable () -> Int?,
        ownAddresses: @escaping @Sendable () -> [IPAddress]
    ) {
        self.allowances = allowances
        self.ownPort = ownPort
        self.ownAddresses = ownAddresses
    }

    /// The failure if a request may not connect to an address of its host, or nil.
    func refusal(of address: IPAddress, for target: HTTPTarget) -> HTTPFailure? {
        let address = address.unmapped
        let covering = allowances.filter { $0.covers(host: target.host, address: address, port: target.port) }
        if covering.contains(where: \.namesPort) { return nil }
        if leadsHere(address, target.port) {
            return .notAllowed(
                reason: "\(target.place) is this server itself, which requests must not reach. "
                    + "An operator can allow it by adding \(target.place) to the setting http-request.allow.")
        }
        guard covering.isEmpty, let restriction = address.restriction else { return nil }
        return .notAllowed(
            reason: "\(target.host.inert(limit: 200)) leads to \(restriction.words), where requests are not allowed. "
                + "An operator can allow it in the setting http-request.allow.")
    }

    private func leadsHere(_ address: IPAddress, _ port: Port) -> Bool {
        guard let own = ownPort().flatMap({ Port($0) }), own == port else { return false }
        return address.restriction == .thisMachine || ownAddresses().contains(address)
    }

    /// The addresses of all interfaces; empty if unavailable, in which case only loopback counts.
    private static func addressesOfThisMachine() -> [IPAddress] {
        do {
            return try System.enumerateDevices().compactMap {
                $0.address?.ipAddress.flatMap { IPAddress($0)?.unmapped }
            }
        } catch {
            return []
        }
    }
}
