import HTTPTypes

/// The header fields that keep a browser from doing more with an answer than it is meant for.
enum SecurityHeaders {
    /// What a page may load and do: nothing but this server's own files, and no script but through our own policy.
    static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types weir",
    ].joined(separator: "; ")

    /// Adds to an answer what every answer has, and to a page what pages have.
    static func add(to headers: inout HTTPFields, isPage: Bool) {
        headers[.contentTypeOptions] = "nosniff"
        headers[.crossOriginResourcePolicy] = "same-origin"
        headers[.referrerPolicy] = "same-origin"
        guard isPage else { return }
        headers[.contentSecurityPolicy] = policy
        headers[.crossOriginOpenerPolicy] = "same-origin"
        headers[.permissionsPolicy] = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
    }
}
