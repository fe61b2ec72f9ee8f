import Foundation
import HTTPTypes

/// Whether a request that changes something comes from this dashboard's own pages, or from no page at all.
///
/// Browsers say where a request comes from in `Sec-Fetch-Site` and in `Origin`. A program sends neither, and passes: it
/// cannot be made to send requests by a page. Where both are sent, both must allow the request. Another port of the
/// same machine is another site here, and so is another scheme, where the server itself encrypts or a proxy names the scheme
/// in `X-Forwarded-Proto`.
enum CrossSiteCheck {
    /// Whether a request may change something.
    ///
    /// - Parameters:
    ///   - headers: Its header.
    ///   - authority: The name of this server, as the request says it.
    ///   - isEncrypted: Whether the server itself encrypts the connection.
    ///   - isByCookie: Whether a cookie may say who asks. Browsers send it by themselves, so that whoever relies on it must
    ///     also say where the request comes from, as every browser of today does.
    /// - Returns: Whether it may.
    static func allows(
        _ headers: HTTPFields, authority: String?, isEncrypted: Bool = false, isByCookie: Bool = false
    ) -> Bool {
        let sites = headers[values: .secFetchSite]
        let origins = headers[values: .origin]
        if isByCookie, sites.isEmpty, origins.isEmpty { return false }
        guard sites.count <= 1, origins.count <= 1 else { return false }
        if let site = sites.first, site != "same-origin", site != "none" { return false }
        guard let origin = origins.first else { return true }
        return isOwn(origin, authority: authority, scheme: publicScheme(headers) ?? (isEncrypted ? "https" : nil))
    }

    /// Whether a request relies on what browsers send by themselves: a cookie, with no token beside it.
    ///
    /// Passwords that a proxy asked for, and tickets of a domain, are sent by browsers too.
    static func isByCookie(_ headers: HTTPFields) -> Bool {
        guard !headers[values: .cookie].isEmpty else { return false }
        let schemes = headers[values: .authorization].map { $0.prefix { $0 != " " && $0 != "\t" }.lowercased() }
        return schemes.allSatisfy(["basic", "digest", "negotiate", "ntlm"].contains)
    }

    private static func isOwn(_ origin: String, authority: String?, scheme: String?) -> Bool {
        guard let authority, let range = origin.range(of: "://") else { return false }
        let said = origin[..<range.lowerBound].lowercased()
        guard said == "http" || said == "https", scheme == nil || said == scheme else { return false }
        let host = origin[range.upperBound...].lowercased()
        return withoutUsualPort(host, scheme: said) == withoutUsualPort(authority.lowercased(), scheme: said)
    }

    /// The scheme that browsers use, where a proxy says so; the proxy nearest to the browser comes first.
    ///
    /// A page of another site cannot send this header: a browser would ask this server first, which does not allow it.
    private static func publicScheme(_ headers: HTTPFields) -> String? {
        headers[.forwardedProto]?.split(separator: ",").first?.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// A browser leaves the scheme's usual port out of both fields, a proxy may not.
    private static func withoutUsualPort(_ host: String, scheme: String) -> String {
        let port = scheme == "https" ? ":443" : ":80"
        return host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    }
}
