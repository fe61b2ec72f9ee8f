import WeirStates

/// Limits the rate of sign-in attempts, before passwords are hashed.
///
/// Never locks anyone out: limits refill within a minute, and attempts from other addresses do not slow an address from which
/// the name has signed in before.
package struct SignInThrottle: Sendable {
    /// The maximum number of attempts per minute.
    package struct Limits: Hashable, Sendable {
        package var perAddress = 20
        /// Per name, from addresses from which it has not signed in before.
        package var perName = 10
        /// In total, from addresses without an earlier sign-in.
        package var inAll = 120
        package init() {}
    }

    /// The maximum number of addresses and names tracked.
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

    /// Counts an attempt; returns the delay in milliseconds if a limit is reached, without counting.
    package mutating func attempt(_ name: String, from address: String, now: Int64) -> Int64? {
        let address = Self.subscriber(of: address)
        let keys: [(Key, Int)] =
            known[name]?.contains(address) == true
            ? [(.known(name, address), limits.perName)]
            : [(.address(address), limits.perAddress), (.name(name), limits.perName), (.all, limits.inAll)]
        let longest = keys.map { wait(of: $0.0, $0.1, now: now) }.max() ?? 0
        guard longest <= 0 else { return longest }
        if fullAt.count >= Self.kept { fullAt = fullAt.filter { $0.value > now } }
        // The overall limit applies before this table can be filled.
        for (key, limit) in keys { fullAt[key] = max(fullAt[key] ?? now, now) + Self.interval(limit) }
        return nil
    }

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

    /// The rate-limited part of an address: for IPv6 the first 64 bits, which belong to one subscriber.
    package static func subscriber(of address: String) -> String {
        guard let parsed = NetworkAddress(address), parsed.bytes.count == 16 else { return address }
        return Hex(parsed.bytes.prefix(8)).text
    }
}
