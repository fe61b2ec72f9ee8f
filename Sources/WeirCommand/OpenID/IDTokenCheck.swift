import WeirAccess
import WeirStates

/// What the claims of an ID token must say: OpenID Connect Core 1.0, section 3.1.3.7.
///
/// Pure: the time is passed in.
struct IDTokenCheck: Sendable {
    let issuer: String
    let clientID: String
    let nonce: String
    /// By how many milliseconds the clocks may differ.
    let leeway: Int64

    /// Holds claims against what is expected.
    ///
    /// - Parameters:
    ///   - claims: The claims of a token whose signature is good.
    ///   - now: The time in milliseconds since 1970.
    /// - Returns: The subject.
    /// - Throws: `IdentityProviderError` that says which claim is wrong.
    func subject(of claims: JSONValue, now: Int64) throws(IdentityProviderError) -> String {
        guard claims["iss"]?.string == issuer else {
            throw IdentityProviderError(
                .issuer,
                "The ID token is from \(Quoted(claims["iss"]?.string ?? "nobody")), not from \(Quoted(issuer)).")
        }
        try checkAudience(of: claims)
        try checkTimes(of: claims, now: now)
        guard claims["nonce"]?.string == nonce else {
            throw IdentityProviderError(
                .failed, "The ID token belongs to another sign-in: its nonce is not the one sent.")
        }
        guard let subject = claims["sub"]?.string, VisibleName.isSound(subject, limit: 255) else {
            throw IdentityProviderError(.failed, "The ID token names no subject.")
        }
        return subject
    }

    private func checkAudience(of claims: JSONValue) throws(IdentityProviderError) {
        let audience = claims["aud"].flatMap { $0.string.map { [$0] } ?? $0.array?.compactMap(\.string) } ?? []
        guard audience.contains(clientID) else {
            throw IdentityProviderError(
                .failed, "The ID token is for \(Quoted(audience)), not for \(Quoted(clientID)).")
        }
        let party = claims["azp"]?.string
        guard party == clientID || (claims["azp"] == nil && audience.count == 1) else {
            throw IdentityProviderError(
                .failed,
                "The ID token is for \(audience.count) audiences and was given to \(Quoted(party ?? "nobody")), not to "
                    + "\(Quoted(clientID)).")
        }
    }

    private func checkTimes(of claims: JSONValue, now: Int64) throws(IdentityProviderError) {
        let (seconds, leeway) = (Double(now) / 1_000, Double(self.leeway) / 1_000)
        func difference(_ time: Double) -> String { "\((time - seconds).rounded()) s" }
        guard let expiry = claims["exp"]?.number, let issued = claims["iat"]?.number else {
            throw IdentityProviderError(.failed, "The ID token does not say when it was issued and when it expires.")
        }
        guard issued <= seconds + leeway else {
            throw IdentityProviderError(
                .clock,
                "The ID token was issued \(difference(issued)) after this server's time. One of the clocks is off.")
        }
        guard expiry > seconds - leeway else {
            throw IdentityProviderError(
                .clock, "The ID token expired \(difference(expiry)) from this server's time. One of the clocks is off.")
        }
        if let begin = claims["nbf"] {
            guard let begin = begin.number, begin <= seconds + leeway else {
                throw IdentityProviderError(.clock, "The ID token is not good yet. One of the clocks is off.")
            }
        }
    }
}
