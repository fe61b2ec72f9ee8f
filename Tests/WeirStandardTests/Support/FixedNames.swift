import WeirStandard

/// Knows the names the test gives it, and no others.
struct FixedNames: NameResolver {
    let names: [String: [String]]
    func addresses(of host: String) async throws -> [String] {
        guard let addresses = names[host] else { throw HTTPFailure.nameNotFound(host: host) }
        return addresses
    }
}
