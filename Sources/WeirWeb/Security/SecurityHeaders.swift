import HTTPTypes

enum SecurityHeaders {
    /// The default policy of pages: only this server's own files, and no script except through our Trusted Types policy.
    static let policy = policy(ancestors: "'none'")

    private static func policy(ancestors: String) -> String {
        [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
            "img-src 'self' data:", "form-action 'self'", "base-uri 'none'", "frame-ancestors \(ancestors)",
            "require-trusted-types-for 'script'", "trusted-types weir",
        ].joined(separator: "; ")
    }

    /// Adds the fields of all responses, and for a page those of pages.
    ///
    /// `ancestors` are the sites that may embed the response.
    static func add(to headers: inout HTTPFields, isPage: Bool, embeddedBy ancestors: [FrameAncestor] = []) {
        headers[.contentTypeOptions] = "nosniff"
        headers[.crossOriginResourcePolicy] = ancestors.isEmpty ? "same-origin" : "cross-origin"
        headers[.referrerPolicy] = "same-origin"
        // A file that a run keeps has its own policy.
        guard isPage, headers[.contentSecurityPolicy] == nil else { return }
        headers[.contentSecurityPolicy] =
            ancestors.isEmpty ? policy : policy(ancestors: ancestors.map(\.origin).joined(separator: " "))
        headers[.crossOriginOpenerPolicy] = "same-origin"
        headers[.permissionsPolicy] = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
    }
}

/// An origin that may embed this site in a frame, as the Content-Security-Policy names it: `https://wiki.example.com`.
package struct FrameAncestor: Hashable, Sendable {
    let origin: String

    // Unsafe: a pattern made of characters alone has no mutable state; it is compiled once, on first use.
    private nonisolated(unsafe) static let form = /https?:\/\/(\*\.)?([a-z0-9.\-]+)(?::([0-9]{1,5}))?/

    /// Parses an origin: `http` or `https`, a host, optionally with a leading `*.` for all subdomains, and an optional port;
    /// returns nil for anything else, so that no other text enters the policy.
    package init?(_ text: String) {
        let text = text.lowercased()
        guard text.utf8.count <= 300, let match = text.wholeMatch(of: Self.form) else { return nil }
        let labels = match.2.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.utf8.count) && $0.first != "-" && $0.last != "-" }) else {
            return nil
        }
        if let port = match.3, !(1...65_535).contains(Int(port) ?? 0) { return nil }
        origin = text
    }
}

extension HTTPField.Name {
    static let secFetchSite = known("Sec-Fetch-Site")
    static let contentSecurityPolicy = known("Content-Security-Policy")
    static let contentTypeOptions = known("X-Content-Type-Options")
    static let crossOriginOpenerPolicy = known("Cross-Origin-Opener-Policy")
    static let crossOriginResourcePolicy = known("Cross-Origin-Resource-Policy")
    static let forwardedProto = known("X-Forwarded-Proto")
    static let host = known("Host")
    static let idempotencyKey = known("Idempotency-Key")
    static let permissionsPolicy = known("Permissions-Policy")
    static let prefer = known("Prefer")
    static let preferenceApplied = known("Preference-Applied")
    static let refresh = known("Refresh")
    static let referrerPolicy = known("Referrer-Policy")
    static let requestID = known("X-Request-ID")
    static let uploadLength = known("Upload-Length")
    static let weirActor = known("X-Weir-Actor")

    static func known(_ name: String) -> HTTPField.Name {
        // Never traps: all names are literals in this package.
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
        return name
    }
}

/// Formats times as `Date` fields (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text of a time in milliseconds since 1970, UTC.
    static func text(_ wall: Int64) -> String {
        let seconds = max(0, wall / 1_000)
        let day = seconds / 86_400
        // Converts days to a proleptic Gregorian date, with years that start in March (Hinnant, 2013).
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 2 : shiftedMonth - 10
        let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
        let time = seconds % 86_400
        return "\(days[Int(clamping: day % 7)]), \(two(dayOfMonth)) \(months[Int(clamping: month)]) \(year) "
            + "\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60)) GMT"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
