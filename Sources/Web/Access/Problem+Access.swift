import Access
import HTTPTypes

extension Problem {
    /// Nobody is known to have sent the request, and not everybody may.
    static let unauthenticated = Problem(
        "unauthenticated", .unauthorized, "Sign in",
        "This is only for those who are known here. Sign in, or send a token as “Authorization: Bearer …”.",
        headers: [.wwwAuthenticate: "Bearer"], closes: true)

    /// Somebody is known who may not do that.
    static let forbidden = Problem(
        "forbidden", .forbidden, "Not allowed",
        "You may not do that here. Ask whoever runs this server to give you a role that may.", closes: true)

    /// Why a request cannot go on.
    init(_ refusal: Authentication.Refusal) {
        switch refusal {
        case .invalidToken:
            self.init(
                "invalid-token", .unauthorized, "Invalid token",
                "The token is not known, or it has expired or was revoked. Send one that is in force.",
                headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#], closes: true)
        case .malformed(let detail):
            self.init("malformed-header", .badRequest, "Malformed header", detail, closes: true)
        case .forwarded(let detail): self.init("forbidden", .forbidden, "Not allowed", detail, closes: true)
        }
    }
}
