import Foundation
import States

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
        guard components.password == nil, !isWeb || (components.user == nil && !authority.contains("@")) else {
            throw InputRejection(.urlWithPassword)
        }
        guard !isWeb || components.host?.isEmpty == false else { throw unquoted(text) }
        guard !isWeb || Self.hasUsablePort(authority, url.port) else {
            throw InputRejection(.urlPort)
        }
        return trimmed
    }

    private func unquoted(_ text: String) -> InputRejection {
        text.unicodeScalars.contains("@") ? InputRejection(expectation) : rejection(of: .string(text))
    }

    /// The part between the scheme and the path.
    private static func authority(_ text: String) -> Substring {
        guard let start = text.firstRange(of: "//") else { return "" }
        return text[start.upperBound...].prefix { !"/?#".contains($0) }
    }

    /// Whether the port exists, or there is none: one that is too large for a number must not be taken for none.
    private static func hasUsablePort(_ authority: Substring, _ port: Int?) -> Bool {
        let digits = authority.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        guard authority.contains(":"), !authority.hasSuffix("]"), !digits.isEmpty else { return port == nil }
        return port.map { (1...65_535).contains($0) } ?? false
    }
}
