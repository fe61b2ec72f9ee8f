import Foundation

/// Where a server is: its scheme, host, port, and the path that it is mounted at, if any.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// Where `weir serve` listens unless it is told otherwise.
    package static let standard = ServerAddress(
        description: "http://127.0.0.1:8080", isSecure: false, host: "127.0.0.1")

    /// The address without a slash at its end.
    package let description: String
    package let isSecure: Bool
    package let host: String

    private init(description: String, isSecure: Bool, host: String) {
        self.description = description
        self.isSecure = isSecure
        self.host = host
    }

    /// Reads an address such as `https://weir.example/ops`.
    package init(_ text: String) throws(ClientError) {
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

    /// Whether what is sent there stays on this machine.
    package var isLocal: Bool {
        ["localhost", "[::1]", "::1"].contains(host) || host.hasPrefix("127.")
    }

    /// The URL of a resource: the parts of its path below the address, each encoded, and a query.
    func url(_ path: [String], query: [(name: String, value: String)] = []) -> String {
        let place = ([description] + path.map(Self.encoded)).joined(separator: "/")
        guard !query.isEmpty else { return place }
        return place + "?" + Self.form(query)
    }

    /// Fields as `application/x-www-form-urlencoded`.
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
