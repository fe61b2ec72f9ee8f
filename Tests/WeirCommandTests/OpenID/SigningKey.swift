import Crypto
import CryptoExtras
import Foundation
import JWTKit
import WeirStates

@testable import WeirCommand

/// A key of a provider, made for a test: signs tokens, and is published as the provider would.
struct SigningKey: Sendable {
    enum Kind: CaseIterable { case rs256, ps256, es256, edDSA }

    let keyID: String
    /// What stands in the key set.
    let published: JSONValue
    private let signers: JWTKeyCollection

    init(_ kind: Kind, keyID: String = "k1") async throws {
        self.keyID = keyID
        let (signers, kid) = (JWTKeyCollection(), JWKIdentifier(string: keyID))
        var members: [String: JSONValue] = ["kid": .string(keyID), "use": "sig"]
        switch kind {
        case .rs256, .ps256:
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            let numbers = try key.publicKey.getKeyPrimitives()
            members["kty"] = "RSA"
            members["n"] = .string(Base64URL.encode(numbers.modulus))
            members["e"] = .string(Base64URL.encode(numbers.publicExponent))
            let signing = try Insecure.RSA.PrivateKey(backing: key)
            if kind == .rs256 {
                members["alg"] = "RS256"
                await signers.add(rsa: signing, digestAlgorithm: .sha256, kid: kid)
            } else {
                await signers.add(pss: signing, digestAlgorithm: .sha256, kid: kid)
            }
        case .es256:
            let key = P256.Signing.PrivateKey()
            let point = key.publicKey.rawRepresentation
            members["kty"] = "EC"
            members["crv"] = "P-256"
            members["x"] = .string(Base64URL.encode(point.prefix(32)))
            members["y"] = .string(Base64URL.encode(point.suffix(32)))
            await signers.add(ecdsa: try ES256PrivateKey(backing: key), kid: kid)
        case .edDSA:
            let key = Curve25519.Signing.PrivateKey()
            members["kty"] = "OKP"
            members["crv"] = "Ed25519"
            members["x"] = .string(Base64URL.encode(key.publicKey.rawRepresentation))
            await signers.add(eddsa: EdDSA.PrivateKey(backing: key), kid: kid)
        }
        published = .object(members)
        self.signers = signers
    }

    /// A token with these claims, signed.
    func token(_ claims: JSONValue, namesKey: Bool = true) async throws -> String {
        var header = JWTHeader()
        if namesKey { header.kid = keyID }
        return try await signers.sign(TestClaims(members: claims), header: header)
    }

    /// A token whose header says what a test wants, and whose signature is another's.
    static func forged(header: JSONValue, claims: JSONValue, signature: String = "") throws -> String {
        try [header, claims].map { Base64URL.encode(Data(try $0.text().utf8)) }.joined(separator: ".") + "." + signature
    }
}

/// Claims as a provider puts them into a token.
struct TestClaims: JWTPayload {
    let members: JSONValue

    init(members: JSONValue) { self.members = members }
    init(from decoder: any Decoder) throws { members = try JSONValue(from: decoder) }
    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
    func verify(using algorithm: some JWTAlgorithm) {}
}
