import Crypto
import Foundation

/// A certificate that vouches for itself, and its key, made for one test.
struct SelfSigned {
    private let key = P256.Signing.PrivateKey()
    private let serial: UInt8

    /// A certificate of that number, below 128.
    init(serial: UInt8) { self.serial = serial }

    var keyPEM: String { key.pemRepresentation }

    /// The certificate; see RFC 5280, section 4.1.
    func chainPEM() throws -> String {
        let algorithm = Self.sequence([Self.element(0x06, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02])])
        let commonName = Self.sequence([
            Self.element(0x06, [0x55, 0x04, 0x03]), Self.element(0x0C, Array("localhost".utf8)),
        ])
        let name = Self.sequence([Self.element(0x31, commonName)])
        let validity = Self.sequence(["200101000000Z", "491231235959Z"].map { Self.element(0x17, Array($0.utf8)) })
        let body = Self.sequence([
            Self.element(0xA0, Self.element(0x02, [2])), Self.element(0x02, [serial]), algorithm, name, validity, name,
            Array(key.publicKey.derRepresentation),
        ])
        let signature = try key.signature(for: Data(body)).derRepresentation
        let whole = Self.sequence([body, algorithm, Self.element(0x03, [0] + signature)])
        let text = Data(whole).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
    }

    private static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(0x30, parts.flatMap(\.self)) }

    /// One value of DER, of less than 64 KiB.
    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        if count < 128 { return [tag, UInt8(count)] + content }
        if count < 256 { return [tag, 0x81, UInt8(count)] + content }
        return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + content
    }
}
