import HTTPTypes

/// The header fields that keep a browser from doing more with an answer than it is meant for.
enum SecurityHeaders {
    /// What a page may load and do: nothing but this server's own files, and no script but through our own policy.
    static let policy = policy(ancestors: "'none'")

    private static func policy(ancestors: String) -> String {
        [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
            "img-src 'self' data:", "form-action 'self'", "base-uri 'none'", "frame-ancestors \(ancestors)",
            "require-trusted-types-for 'script'", "trusted-types weir",
        ].joined(separator: "; ")
    }

    /// Adds to an answer what every answer has, and to a page what pages have.
    ///
    /// - Parameters:
    ///   - headers: The answer's fields.
    ///   - isPage: Whether it is a page.
    ///   - ancestors: The sites that may show it in a frame or as a picture.
    static func add(to headers: inout HTTPFields, isPage: Bool, embeddedBy ancestors: [FrameAncestor] = []) {
        headers[.contentTypeOptions] = "nosniff"
        headers[.crossOriginResourcePolicy] = ancestors.isEmpty ? "same-origin" : "cross-origin"
        headers[.referrerPolicy] = "same-origin"
        guard isPage else { return }
        headers[.contentSecurityPolicy] =
            ancestors.isEmpty ? policy : policy(ancestors: ancestors.map(\.origin).joined(separator: " "))
        headers[.crossOriginOpenerPolicy] = "same-origin"
        headers[.permissionsPolicy] = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
    }
}
