import HTTPTypes

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
    static let uploadLength = known("Upload-Length")
    static let weirActor = known("X-Weir-Actor")

    /// A name that stands in our own sources.
    static func known(_ name: String) -> HTTPField.Name {
        // Never traps: the names stand above, and none comes from outside.
        guard let name = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
        return name
    }
}
