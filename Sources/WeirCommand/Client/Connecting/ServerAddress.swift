import Foundation

/// The address of a server: its scheme, host, port and base path.
struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    static let standard = ServerAddress(
        description: "http://127.0.0.1:8080", isSecure: false, host: "127.0.0.1")

    /// The address without a trailing slash.
    let description: String
    let isSecure: Bool
    let host: String

    private init(description: String, isSecure: Bool, host: String) {
        self.description = description
        self.isSecure = isSecure
        self.host = host
    }

    /// Parses an address such as `https://weir.example/ops`.
    init(_ text: String) throws(ClientError) {
        let shown = VisibleText.line(String(text.prefix(200)))
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
        else {
            throw ClientError(
                .misconfigured,
                "“\(shown)” is not the address of a server. Write it whole, such as https://weir.example.")
        }
        guard parts.user == nil, parts.password == nil else {
            throw ClientError(
                .misconfigured, "The address of a server has no name or password in it. Keep a token with `weir login`."
            )
        }
        guard parts.query == nil, parts.fragment == nil else {
            throw ClientError(.misconfigured, "“\(shown)” has more than an address. Leave out what follows ? or #.")
        }
        if let port = parts.port, !(1...65_535).contains(port) {
            throw ClientError(.misconfigured, "“\(shown)” has no port from 1 to 65535.")
        }
        var text = "\(scheme)://\(host.lowercased())"
        if let port = parts.port { text += ":\(port)" }
        var path = parts.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        self.init(description: text + path, isSecure: scheme == "https", host: host.lowercased())
    }

    /// Whether the host is this machine.
    var isLocal: Bool {
        ["localhost", "[::1]", "::1"].contains(host) || host.hasPrefix("127.")
    }

    /// The URL of a resource below the address, percent-encoded.
    func url(_ path: [String], query: [(name: String, value: String)] = []) -> String {
        let place = ([description] + path.map(Self.encoded)).joined(separator: "/")
        guard !query.isEmpty else { return place }
        return place + "?" + Self.form(query)
    }

    /// The fields as `application/x-www-form-urlencoded`.
    static func form(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}

/// The server to connect to, the token, and additional trusted certificates.
struct ServerConnection: Sendable, Hashable {
    let address: ServerAddress
    let token: String?
    let authority: String?

    /// The command-line options, each nil if absent.
    struct Options: Sendable, Hashable {
        var server: String?
        /// The contents of the file that `--token-file` names.
        var token: String?
        var authority: String?
    }

    /// Resolves the connection from the options, then the environment, then the profiles; the default is this machine.
    ///
    /// A profile's token is sent only to the server of that profile.
    init(_ options: Options, environment: [String: String], profiles: Profiles) throws(ClientError) {
        let named = [options.server, environment["WEIR_SERVER"], profiles.current].compactMap(\.self)
            .first { !$0.isEmpty }
        address = try named.map { text throws(ClientError) in try ServerAddress(text) } ?? .standard
        let profile = profiles.servers[address.description]
        let token = [options.token, environment["WEIR_TOKEN"], profile?.token].compactMap(\.self).first { !$0.isEmpty }
        self.token = try token.map { text throws(ClientError) in try Self.checked(text) }
        authority =
            options.authority ?? environment["WEIR_CA_FILE"].flatMap { $0.isEmpty ? nil : $0 } ?? profile?.authority
    }

    /// Validates a token: returns the first line of a text if a header can contain it.
    static func checked(_ text: String) throws(ClientError) -> String {
        let token = text.prefix { !$0.isNewline }.filter { $0 != " " && $0 != "\t" }
        guard !token.isEmpty, token.utf8.count <= 1_024, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw ClientError(
                .misconfigured, "This is not a token. A token is one line, as `weir token create` prints it.")
        }
        return token
    }
}
