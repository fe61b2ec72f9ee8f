/// Which server is asked, with which token, and whose certificates are trusted besides the system's.
package struct ServerConnection: Sendable, Hashable {
    package let address: ServerAddress
    package let token: String?
    /// The path of a file of certificates in PEM form.
    package let authority: String?

    /// What was given on the command line; nil for what was not.
    package struct Options: Sendable, Hashable {
        package var server: String?
        /// What the file of `--token-file` holds.
        package var token: String?
        package var authority: String?

        package init(server: String? = nil, token: String? = nil, authority: String? = nil) {
            self.server = server
            self.token = token
            self.authority = authority
        }
    }

    /// Chooses by what was given, then by the environment, then by the profiles; without any, this machine.
    ///
    /// A token of a profile goes to the server it was made for, and to no other.
    package init(_ options: Options, environment: [String: String], profiles: Profiles) throws(ClientError) {
        let named = [options.server, environment["WEIR_SERVER"], profiles.current].compactMap(\.self)
            .first { !$0.isEmpty }
        address = try named.map { text throws(ClientError) in try ServerAddress(text) } ?? .standard
        let profile = profiles.servers[address.description]
        let token = [options.token, environment["WEIR_TOKEN"], profile?.token].compactMap(\.self).first { !$0.isEmpty }
        self.token = try token.map { text throws(ClientError) in try Self.checked(text) }
        authority =
            options.authority ?? environment["WEIR_CA_FILE"].flatMap { $0.isEmpty ? nil : $0 } ?? profile?.authority
    }

    /// A token as a header field can carry it: the first line of a text.
    package static func checked(_ text: String) throws(ClientError) -> String {
        let token = text.prefix { !$0.isNewline }.filter { $0 != " " && $0 != "\t" }
        guard !token.isEmpty, token.utf8.count <= 1_024, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw ClientError(
                .misconfigured, "This is not a token. A token is one line, as `weir token create` prints it.")
        }
        return token
    }
}
