import Foundation
import WeirStates

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension InputField {
    /// The URL as a run gets it.
    ///
    /// What the run is started with is recorded, so a URL that carries a password is refused before anything is
    /// recorded, and no mistake quotes it.
    func url(_ text: String, _ schemes: [String]) throws(InputRejection) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let components = URLComponents(string: trimmed), let url = components.url,
            let scheme = components.scheme?.lowercased(), schemes.contains(scheme)
        else { throw unquoted(text) }
        let isWeb = ["http", "https"].contains(scheme)
        let authority = Self.authority(url.absoluteString)
        // No host has an `@`, so what stands before one that is encoded is meant to let somebody in, too.
        guard components.password == nil,
            !isWeb || (components.user == nil && !authority.contains("@") && !authority.contains("%40"))
        else {
            throw InputRejection(.urlWithPassword)
        }
        guard !isWeb || Self.isUsable(host: components.host ?? "") else { throw unquoted(text) }
        guard !isWeb || Self.hasUsablePort(authority, url.port) else {
            throw InputRejection(.urlPort)
        }
        return trimmed
    }

    private func unquoted(_ text: String) -> InputRejection {
        text.unicodeScalars.contains("@") || text.contains("%40")
            ? InputRejection(expectation) : rejection(of: .string(text))
    }

    /// The part between the scheme and the path.
    private static func authority(_ text: String) -> Substring {
        guard let start = text.firstRange(of: "//") else { return "" }
        return text[start.upperBound...].prefix { !"/?#".contains($0) }
    }

    /// Whether a host is named: what has colons must be an address of version 6, with or without a zone.
    private static func isUsable(host: String) -> Bool {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let plain = isBracketed ? String(host.dropFirst().dropLast()) : host
        guard isBracketed || plain.contains(":") else { return !plain.isEmpty }
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, String(plain.prefix { $0 != "%" }), &bytes) == 1
    }

    /// Whether the port exists, or there is none: one that is too large for a number must not be taken for none.
    private static func hasUsablePort(_ authority: Substring, _ port: Int?) -> Bool {
        let digits = authority.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        guard authority.contains(":"), !authority.hasSuffix("]"), !digits.isEmpty else { return port == nil }
        return port.map { (1...65_535).contains($0) } ?? false
    }
}
