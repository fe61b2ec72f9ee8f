import HTTPTypes
import WeirAccess

extension Problem {
    /// Nobody is known to have sent the request, and not everybody may.
    static let unauthenticated = Problem(
        "unauthenticated", .unauthorized, "Sign in",
        .unauthenticated,
        headers: [.wwwAuthenticate: "Bearer"], closes: true)

    /// Somebody is known who may not do that.
    static let forbidden = Problem(
        "forbidden", .forbidden, "Not allowed",
        .forbidden, closes: true)

    /// Why a request cannot go on.
    init(_ refusal: Authentication.Refusal) {
        switch refusal {
        case .invalidToken:
            self.init(
                "invalid-token", .unauthorized, "Invalid token",
                .invalidToken,
                headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#], closes: true)
        case .malformed(let detail):
            self.init("malformed-header", .badRequest, "Malformed header", detail, closes: true)
        case .forwarded(let detail): self.init("forbidden", .forbidden, "Not allowed", detail, closes: true)
        }
    }
}
