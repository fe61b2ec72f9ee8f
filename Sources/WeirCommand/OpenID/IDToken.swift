import JWTKit
import WeirAccess
import WeirStates

/// An ID token from the token endpoint, before verification.
struct IDToken: Sendable {
    struct Header: Sendable {
        let algorithm: JWK.Algorithm
        let keyType: JWK.KeyType
        let keyID: String?
    }

    /// The signed payload, left undecoded: `JSONValue` reads the claims and `IDTokenCheck` validates them.
    private struct Payload: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private static let maximumBytes = 65_536

    /// The accepted algorithms with their key types, which are all asymmetric.
    private static let algorithms: [String: (JWK.Algorithm, JWK.KeyType)] = [
        "RS256": (.rs256, .rsa), "RS384": (.rs384, .rsa), "RS512": (.rs512, .rsa),
        "PS256": (.ps256, .rsa), "PS384": (.ps384, .rsa), "PS512": (.ps512, .rsa),
        "ES256": (.es256, .ecdsa), "ES384": (.es384, .ecdsa), "ES512": (.es512, .ecdsa),
        "EdDSA": (.eddsa, .octetKeyPair),
    ]

    private let text: String
    private let claims: JSONValue
    let header: Header

    /// Parses a token; throws if the text is not a token or uses an unaccepted algorithm.
    init(_ text: String) throws(IdentityProviderError) {
        guard text.utf8.count <= Self.maximumBytes else {
            throw IdentityProviderError(
                .failed,
                "The ID token has \(text.utf8.count) bytes; at most \(Self.maximumBytes) are accepted. Have the provider send fewer "
                    + "groups, or only those of this client.")
        }
        guard
            let parsed = try? DefaultJWTParser().parse(Array(text.utf8), as: Payload.self),
            let payload = text.split(separator: ".", omittingEmptySubsequences: false).dropFirst().first,
            let claims = Base64URL.decode(String(payload)).flatMap({ try? JSONValue(parsing: $0) })
        else { throw IdentityProviderError(.failed, "The ID token cannot be read.") }
        let name = parsed.header.alg ?? ""
        guard let (algorithm, keyType) = Self.algorithms[name] else {
            throw IdentityProviderError(
                .failed,
                "The ID token is signed with \(Quoted(name)), which is not accepted. Set the provider to RS256 for this client."
            )
        }
        guard parsed.header.fields["crit"] == nil else {
            throw IdentityProviderError(.failed, "The ID token demands an extension that is unknown here.")
        }
        self.text = text
        self.claims = claims
        header = Header(algorithm: algorithm, keyType: keyType, keyID: parsed.header.kid)
    }

    /// Returns the claims if one of the keys verifies the signature, and throws if none does.
    func claims(signedBy keys: [JWK]) async throws(IdentityProviderError) -> JSONValue {
        for key in keys {
            var key = key
            key.keyIdentifier = JWKIdentifier(string: header.keyID ?? "only")
            key.algorithm = header.algorithm
            // An unusable key and an invalid signature have the same result: the token is rejected.
            let signers = JWTKeyCollection()
            if let _ = try? await signers.add(jwk: key), let _ = try? await signers.verify(text, as: Payload.self) {
                return claims
            }
        }
        throw IdentityProviderError(
            .failed,
            keys.isEmpty
                ? "The ID token is signed with the key \(Quoted(header.keyID ?? "")), which the provider does not publish."
                : "The ID token's signature is not good.")
    }
}

/// Validates the claims of an ID token as OpenID Connect Core 1.0, section 3.1.3.7, requires.
///
/// Pure.
struct IDTokenCheck: Sendable {
    let issuer: String
    let clientID: String
    let nonce: String
    /// The accepted clock difference, in milliseconds.
    let leeway: Int64

    /// Validates the claims of a token whose signature is verified, and returns the subject.
    func subject(of claims: JSONValue, now: Int64) throws(IdentityProviderError) -> String {
        try checkOrigin(of: claims, now: now)
        guard claims["nonce"]?.string == nonce else {
            throw IdentityProviderError(
                .failed, "The ID token belongs to another sign-in: its nonce is not the one sent.")
        }
        guard let subject = claims["sub"]?.string, VisibleName.isSound(subject, limit: 255) else {
            throw IdentityProviderError(.failed, "The ID token names no subject.")
        }
        return subject
    }

    /// Validates issuer, audience and times.
    func checkOrigin(of claims: JSONValue, now: Int64) throws(IdentityProviderError) {
        guard claims["iss"]?.string == issuer else {
            throw IdentityProviderError(
                .issuer,
                "The ID token is from \(Quoted(claims["iss"]?.string ?? "nobody")), not from \(Quoted(issuer)).")
        }
        try checkAudience(of: claims)
        try checkTimes(of: claims, now: now)
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
