import WeirStates

/// Limits the rate of failed sign-ins, before passwords are hashed.
///
/// Failures delay further attempts with the same name from the same address, and in total from that address. They never delay
/// attempts from other addresses or from a known browser, so that no stranger can lock a user out. An attempt counts as a
/// failure until it succeeds, so that concurrent attempts are limited too.
package struct SignInThrottle: Sendable {
    struct Limits: Hashable, Sendable {
        /// The number of failures without a delay, for one name and one address or known browser.
        var free = 5
        /// The first and the longest delay, in milliseconds; each failure doubles it.
        var (firstDelay, longestDelay): (Int64, Int64) = (1_000, 60_000)
        /// The time after which failures are forgotten, in milliseconds.
        var memory: Int64 = 3_600_000
        /// The number of failures per minute from one address, and from the first 48 bits of an IPv6 address.
        var (perAddress, perNetwork) = (20, 60)
        init() {}
    }

    /// The number of names and addresses to keep; at the limit, the half that failed least recently is forgotten.
    static let kept = 20_000

    private static let minute: Int64 = 60_000

    private enum Key: Hashable {
        case name(String, from: String)
        case browser(String, name: String)
        case address(String)
        case network(String)
    }

    private struct Failures {
        var count = 0
        var nextAt: Int64 = 0
        var at: Int64 = 0
    }

    private let limits: Limits
    private var failures: [Key: Failures] = [:]
    private var fullAt: [Key: Int64] = [:]

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Counts an attempt, unless a limit is reached.
    ///
    /// - Parameters:
    ///   - name: The name as typed.
    ///   - address: The client's address; empty if unknown.
    ///   - browser: The id of the known browser of that user, which replaces the address; nil without one.
    ///   - now: The time in milliseconds since 1970.
    /// - Returns: The delay in milliseconds until the next attempt if a limit is reached; otherwise nil.
    mutating func attempt(_ name: String, from address: String, browser: String? = nil, now: Int64) -> Int64? {
        let (key, rates) = keys(name, address, browser)
        let known = failures[key].flatMap { isKept($0, now: now) ? $0 : nil } ?? Failures()
        let longest = max(known.nextAt - now, rates.map { wait(of: $0.0, $0.1, now: now) }.max() ?? 0)
        guard longest <= 0 else { return longest }
        tidy(now: now)
        let count = known.count + 1
        failures[key] = Failures(count: count, nextAt: now + delay(after: count), at: now)
        for (key, limit) in rates { fullAt[key] = full(key, now: now) + Self.interval(limit) }
        return nil
    }

    /// Removes the attempt from the count, because it succeeded.
    mutating func succeed(_ name: String, from address: String, browser: String? = nil) {
        let (key, rates) = keys(name, address, browser)
        failures[key] = nil
        for (key, limit) in rates { fullAt[key] = fullAt[key].map { $0 - Self.interval(limit) } }
    }

    /// Removes an attempt from the count, because the password was not checked.
    mutating func withdraw(_ name: String, from address: String, browser: String? = nil) {
        let key = keys(name, address, browser).0
        let known = failures[key]
        succeed(name, from: address, browser: browser)
        guard var known, known.count > 1 else { return }
        (known.count, known.nextAt) = (known.count - 1, known.at)
        failures[key] = known
    }

    private func keys(_ name: String, _ address: String, _ browser: String?) -> (Key, [(Key, Int)]) {
        if let browser { return (.browser(browser, name: name), []) }
        let subscriber = Self.subscriber(of: address)
        var rates: [(Key, Int)] = [(.address(subscriber), limits.perAddress)]
        if let network = Self.network(of: address) { rates.append((.network(network), limits.perNetwork)) }
        return (.name(name, from: subscriber), rates)
    }

    private func delay(after count: Int) -> Int64 {
        guard count >= limits.free else { return 0 }
        return min(limits.longestDelay, limits.firstDelay << Int64(min(count - limits.free, 20)))
    }

    private mutating func tidy(now: Int64) {
        if fullAt.count >= Self.kept { fullAt = fullAt.filter { full($0.key, now: now) > now } }
        guard failures.count >= Self.kept else { return }
        failures = failures.filter { isKept($0.value, now: now) }
        guard failures.count >= Self.kept else { return }
        let kept = failures.sorted { $0.value.at > $1.value.at }.prefix(Self.kept / 2)
        failures = Dictionary(kept.map { ($0.key, $0.value) }) { first, _ in first }
    }

    private func wait(of key: Key, _ limit: Int, now: Int64) -> Int64 {
        max(0, full(key, now: now) - now + Self.interval(limit) - Self.minute)
    }

    /// Whether a failure counts; one more than a minute in the future is from before the clock was set back.
    private func isKept(_ failures: Failures, now: Int64) -> Bool {
        (-Self.minute..<limits.memory).contains(now - failures.at)
    }

    /// The time at which an address has no failures left; one beyond two minutes is from before the clock was set back.
    private func full(_ key: Key, now: Int64) -> Int64 {
        guard let time = fullAt[key], time <= now + 2 * Self.minute else { return now }
        return max(time, now)
    }

    private static func interval(_ perMinute: Int) -> Int64 { minute / Int64(max(1, min(perMinute, 60_000))) }

    /// The rate-limited part of an address: for IPv6 the first 64 bits, which belong to one subscriber.
    package static func subscriber(of address: String) -> String {
        guard let parsed = NetworkAddress(address) else { return address }
        return parsed.bytes.count == 16 ? Hex(parsed.bytes.prefix(8)).text : Hex(parsed.bytes).text
    }

    private static func network(of address: String) -> String? {
        guard let parsed = NetworkAddress(address), parsed.bytes.count == 16 else { return nil }
        return Hex(parsed.bytes.prefix(6)).text
    }
}
