import NIOCore

/// Where the requests of operations may go.
///
/// Without this policy, anybody who can start an HTTP request could reach what only this server can reach: the server
/// itself, behind the proxy that authenticates its users; services on its loopback; the credentials that clouds keep at
/// a link-local address; the machines of its private network. An address that does not belong to the public internet is
/// therefore refused, unless an operator has allowed it.
///
/// The policy judges addresses, not their spelling: the exchange looks the name up once, checks each address it is
/// about to connect to, and connects to that very address. The same applies to each redirect and each attempt.
package struct OutgoingPolicy: Sendable {
    private let allowances: [OutgoingAllowance]
    private let ownPort: @Sendable () -> Int?
    private let ownAddresses: @Sendable () -> [IPAddress]

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - allowances: What may be reached besides the public internet.
    ///   - ownPort: The port that this server listens at, asked for at each request; nil while there is none. Requests to it
    ///     on this machine are refused unless an allowance names host and port.
    package init(allowing allowances: [OutgoingAllowance] = [], ownPort: @escaping @Sendable () -> Int? = { nil }) {
        self.init(allowing: allowances, ownPort: ownPort, ownAddresses: Self.addressesOfThisMachine)
    }

    /// Creates a policy for a machine of other addresses.
    package init(
        allowing allowances: [OutgoingAllowance], ownPort: @escaping @Sendable () -> Int?,
        ownAddresses: @escaping @Sendable () -> [IPAddress]
    ) {
        self.allowances = allowances
        self.ownPort = ownPort
        self.ownAddresses = ownAddresses
    }

    /// Why a request may not connect to an address of its target's host; nil if it may.
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

    /// The addresses of all interfaces; none where the system does not say, and then only loopback counts.
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
