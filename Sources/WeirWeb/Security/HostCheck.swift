import Synchronization

/// Which `Host` a request may name, so that no other site's DNS name leads a browser here (DNS rebinding).
///
/// A browser that follows a rebound name sends that name. `localhost` and addresses cannot be rebound, so they pass;
/// every other name must have been allowed.
final class HostCheck: Sendable {
    private let allowed: Mutex<Set<String>>
    private let changes = Atomic<Int>(0)

    init(allowed: [String]) { self.allowed = Mutex(Self.set(of: allowed)) }

    /// How often the names have changed: what was allowed before may not be any more.
    var edition: Int { changes.load(ordering: .acquiring) }

    /// Allows these names from now on, and no others.
    func allow(_ names: [String]) {
        allowed.withLock { $0 = Self.set(of: names) }
        changes.wrappingAdd(1, ordering: .releasing)
    }

    private static func set(of names: [String]) -> Set<String> { Set(names.map { $0.lowercased() }) }

    func allows(_ authority: String) -> Bool {
        let allowed = allowed.withLock { $0 }
        guard !allowed.contains("*") else { return true }
        let host = authority.lowercased()
        guard let name = Self.name(of: host) else { return false }
        return name == "localhost" || name.hasSuffix(".localhost") || Self.isAddress(name)
            || allowed.contains(host) || allowed.contains(name)
    }

    /// The host without its port; nil if it is no host at all.
    private static func name(of host: String) -> String? {
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]"), isPort(host[host.index(after: end)...]) else { return nil }
            return String(host[...end])
        }
        let name = host.prefix { $0 != ":" }
        guard !name.isEmpty, isPort(host[name.endIndex...]) else { return nil }
        return String(name)
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.isEmpty || text.first == ":" && text.count <= 6 && text.dropFirst().utf8.allSatisfy(isDigit)
    }

    /// Four decimal numbers, or anything in brackets that only an IPv6 address can be.
    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("[") {
            let address = name.dropFirst().dropLast()
            return address.contains(":") && address.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { $0.utf8.allSatisfy(isDigit) && UInt8($0) != nil }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
