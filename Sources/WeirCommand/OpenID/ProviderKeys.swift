import JWTKit
import WeirAccess
import WeirStates

/// The keys with which a provider signs (RFC 7517); those that cannot sign an ID token here are left out.
struct ProviderKeys: Sendable {
    /// No provider has more keys in use; what comes after them is left out.
    private static let limit = 100

    private let keys: [JWK]

    /// Reads a key set.
    ///
    /// - Throws: `IdentityProviderError` if no key in it can be used.
    init(_ document: JSONValue) throws(IdentityProviderError) {
        keys = (document["keys"]?.array ?? []).prefix(Self.limit).compactMap { key in
            guard key["use"]?.string ?? "sig" == "sig" else { return nil }
            // A key of a kind that is unknown here is somebody else's: a set may well have some.
            guard var read = try? JWK(json: key.text()) else { return nil }
            (read.privateExponent, read.prime1, read.prime2) = (nil, nil, nil)
            return read
        }
        guard !keys.isEmpty else {
            throw IdentityProviderError(.failed, "The provider's key set has no key that can sign an ID token.")
        }
    }

    /// The keys that can have signed a token: of its kid if it has one, for its algorithm.
    ///
    /// The algorithm decides the kind of key, never the other way round, and no kind of key is a shared secret.
    func keys(for header: IDToken.Header) -> [JWK] {
        keys.filter { key in
            (header.keyID == nil || key.keyIdentifier?.string == header.keyID)
                && key.keyType == header.keyType
                && (key.algorithm == nil || key.algorithm == header.algorithm)
        }
    }
}
