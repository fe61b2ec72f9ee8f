/// The servers that somebody signed in to, each with its token, and which of them is asked by default.
package struct Profiles: Sendable, Hashable, Codable {
    /// What is kept of one server.
    package struct Profile: Sendable, Hashable, Codable {
        package var token: String?
        /// The path of a file of certificates that are trusted for it.
        package var authority: String?

        package init(token: String? = nil, authority: String? = nil) {
            self.token = token
            self.authority = authority
        }
    }

    /// The address of the server that is asked unless another is named.
    package var current: String?
    /// By address.
    package var servers: [String: Profile] = [:]

    package init() {}

    /// Keeps a server, and asks it from now on.
    package mutating func add(_ address: ServerAddress, _ profile: Profile) {
        servers[address.description] = profile
        current = address.description
    }

    /// Forgets a server; false if there was nothing to forget.
    package mutating func remove(_ address: ServerAddress) -> Bool {
        if current == address.description { current = nil }
        return servers.removeValue(forKey: address.description) != nil
    }
}
