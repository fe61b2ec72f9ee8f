import Foundation
import HTTPTypes

/// Whether a request that changes something comes from this dashboard's own pages, or from no page at all.
///
/// Browsers say where a request comes from in `Sec-Fetch-Site`, older ones in `Origin`. A program sends neither, and
/// passes: it cannot be made to send requests by a page. Another port of the same machine is another site here.
enum CrossSiteCheck {
    static func allows(_ headers: HTTPFields, authority: String?) -> Bool {
        if let site = headers[.secFetchSite] { return site == "same-origin" || site == "none" }
        guard let origin = headers[.origin] else { return true }
        guard let authority, let range = origin.range(of: "://") else { return false }
        let scheme = origin[..<range.lowerBound].lowercased()
        let host = origin[range.upperBound...].lowercased()
        return withPort(host, scheme: scheme) == withPort(authority.lowercased(), scheme: scheme)
    }

    /// A browser leaves the scheme's usual port out of both fields, a proxy may not.
    private static func withPort(_ host: String, scheme: String) -> String {
        let port = scheme == "https" ? ":443" : ":80"
        return host.hasSuffix(port) ? String(host.dropLast(port.count)) : host
    }
}
