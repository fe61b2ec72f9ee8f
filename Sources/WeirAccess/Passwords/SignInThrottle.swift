import WeirStates

/// How often somebody may try to sign in: decided before any password is hashed.
///
/// Pure. Nobody is ever locked out: every limit fills again within a minute, and whoever has signed in from an address
/// before is not held up by what others try under the same name from elsewhere.
package struct SignInThrottle: Sendable {
    /// How often a minute.
    package struct Limits: Hashable, Sendable {
        /// From one address.
        package var perAddress = 20
        /// Under one name, from addresses from which it has not signed in before.
        package var perName = 10
        /// From all addresses that nobody has signed in from.
        package var inAll = 120
        package init() {}
    }

    /// How many addresses and names are kept apart at most.
    static let kept = 20_000

    private static let minute: Int64 = 60_000

    private enum Key: Hashable {
        case address(String)
        case name(String)
        case known(String, String)
        case all
    }

    private let limits: Limits
    private var fullAt: [Key: Int64] = [:]
    private var known: [String: Set<String>] = [:]

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Counts an attempt; returns for how many milliseconds to wait instead, and then counts nothing.
    package mutating func attempt(_ name: String, from address: String, now: Int64) -> Int64? {
        let address = Self.subscriber(of: address)
        let keys: [(Key, Int)] =
            known[name]?.contains(address) == true
            ? [(.known(name, address), limits.perName)]
            : [(.address(address), limits.perAddress), (.name(name), limits.perName), (.all, limits.inAll)]
        let longest = keys.map { wait(of: $0.0, $0.1, now: now) }.max() ?? 0
        guard longest <= 0 else { return longest }
        if fullAt.count >= Self.kept { fullAt = fullAt.filter { $0.value > now } }
        // Whoever fills the table with names and addresses has used up what all have together long before.
        for (key, limit) in keys { fullAt[key] = max(fullAt[key] ?? now, now) + Self.interval(limit) }
        return nil
    }

    /// Remembers that a name has signed in from an address.
    package mutating func succeed(_ name: String, from address: String) {
        if known.count >= Self.kept { known = [:] }
        var addresses = known[name] ?? []
        if addresses.count >= 50 { addresses = [] }
        addresses.insert(Self.subscriber(of: address))
        known[name] = addresses
    }

    private func wait(of key: Key, _ limit: Int, now: Int64) -> Int64 {
        max(0, max(fullAt[key] ?? now, now) - now + Self.interval(limit) - Self.minute)
    }

    private static func interval(_ perMinute: Int) -> Int64 { minute / Int64(max(1, min(perMinute, 60_000))) }

    /// What counts as one address: of IPv6, the first 64 bits, which one subscriber has.
    package static func subscriber(of address: String) -> String {
        guard let parsed = NetworkAddress(address), parsed.bytes.count == 16 else { return address }
        return Hex(parsed.bytes.prefix(8)).text
    }
}
