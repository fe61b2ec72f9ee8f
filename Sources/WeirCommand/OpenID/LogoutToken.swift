import WeirAccess
import WeirStates

/// Validates the claims of a logout token as OpenID Connect Back-Channel Logout 1.0, section 2.6, requires.
///
/// Pure.
struct LogoutTokenCheck: Sendable {
    private static let event = "http://schemas.openid.net/event/backchannel-logout"
    /// The maximum age of a token, in milliseconds.
    static let maximumAge: Int64 = 600_000

    let issuer: String
    let clientID: String
    /// The accepted clock difference, in milliseconds.
    let leeway: Int64

    /// Validates the claims of a token whose signature is verified; returns its id, and the subject or session that it names.
    func signOut(
        of claims: JSONValue, now: Int64
    ) throws(IdentityProviderError) -> (id: String, subject: String?, session: String?) {
        let check = IDTokenCheck(issuer: issuer, clientID: clientID, nonce: "", leeway: leeway)
        try check.checkOrigin(of: claims, now: now)
        guard let issued = claims["iat"]?.number, Double(now - leeway - Self.maximumAge) / 1_000 < issued else {
            throw IdentityProviderError(.clock, "The logout token is older than ten minutes.")
        }
        guard claims["events"]?[Self.event]?.object != nil, claims["nonce"] == nil else {
            throw IdentityProviderError(.failed, "The token is not a logout token.")
        }
        guard let id = claims["jti"]?.string, (1...255).contains(id.utf8.count) else {
            throw IdentityProviderError(.failed, "The logout token has no jti.")
        }
        let (subject, session) = (claims["sub"]?.string, claims["sid"]?.string)
        guard subject != nil || session != nil else {
            throw IdentityProviderError(.failed, "The logout token names neither a subject nor a session.")
        }
        return (id, subject, session)
    }
}

/// The logout tokens that this server has accepted; each is valid once.
struct UsedLogoutTokens: Sendable {
    /// The maximum number of tokens to keep.
    static let limit = 100_000
    private var times: [String: Int64] = [:]

    /// Marks a token as used; returns false if it is used already, or if there are too many.
    mutating func use(_ id: String, now: Int64) -> Bool {
        if times.count >= Self.limit || times.count.isMultiple(of: 1_000) {
            times = times.filter { (0...2 * LogoutTokenCheck.maximumAge).contains(now - $0.value) }
        }
        guard times[id] == nil, times.count < Self.limit else { return false }
        times[id] = now
        return true
    }
}
