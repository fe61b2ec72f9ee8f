import JWTKit
import WeirAccess
import WeirStates

/// An ID token as the token endpoint gave it, of which nothing is believed yet.
struct IDToken: Sendable {
    /// What the token says about its signature.
    struct Header: Sendable {
        let algorithm: JWK.Algorithm
        let keyType: JWK.KeyType
        let keyID: String?
    }

    /// What is signed, of which nothing is read: `JSONValue` reads the claims, and `IDTokenCheck` says what is wrong with them.
    private struct Payload: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// More no provider sends.
    private static let maximumBytes = 65_536

    /// Which algorithms count, each with its kind of key: those that sign with a private key.
    private static let algorithms: [String: (JWK.Algorithm, JWK.KeyType)] = [
        "RS256": (.rs256, .rsa), "RS384": (.rs384, .rsa), "RS512": (.rs512, .rsa),
        "PS256": (.ps256, .rsa), "PS384": (.ps384, .rsa), "PS512": (.ps512, .rsa),
        "ES256": (.es256, .ecdsa), "ES384": (.es384, .ecdsa), "ES512": (.es512, .ecdsa),
        "EdDSA": (.eddsa, .octetKeyPair),
    ]

    private let text: String
    private let claims: JSONValue
    /// What the token says about its signature.
    let header: Header

    /// Takes a token apart.
    ///
    /// - Throws: `IdentityProviderError` if it is no token, or signed in a way that does not count.
    init(_ text: String) throws(IdentityProviderError) {
        guard text.utf8.count <= Self.maximumBytes,
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

    /// The claims, if one of these keys has signed them.
    ///
    /// - Throws: `IdentityProviderError` if none has.
    func claims(signedBy keys: [JWK]) async throws(IdentityProviderError) -> JSONValue {
        for key in keys {
            var key = key
            key.keyIdentifier = JWKIdentifier(string: header.keyID ?? "only")
            key.algorithm = header.algorithm
            // A key that cannot be used, and a signature that is not its own, are the same here: the token is not good.
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
