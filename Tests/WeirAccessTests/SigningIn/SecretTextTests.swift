import Testing

@testable import WeirAccess

@Suite struct SecretTextTests {
    private let secret = SecretText(.token, bytes: Array(0..<32))

    @Test func `a secret has its prefix, holds 32 bytes and a checksum, and is read again`() throws {
        #expect(secret.text.hasPrefix("weir_"))
        #expect(secret.text.utf8.count == 5 + 43 + 6)
        #expect(try #require(SecretText(secret.text, kind: .token)).hash == secret.hash)
        #expect(SecretText(.token, bytes: [UInt8](repeating: 255, count: 32)).text.utf8.count == 54)
    }

    @Test func `a secret that was handed out by an earlier version is still one`() throws {
        let text = "weir_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf0maSyK"
        #expect(secret.text == text)
        #expect(SecretText(text, kind: .token)?.text == text)
    }

    @Test func `every secret differs`() {
        let texts = Set((0..<1_000).map { _ in SecretText(.session, bytes: SecretText.random(32)).text })
        #expect(texts.count == 1_000)
    }

    @Test func `what was truncated, lengthened, mistyped or is of another kind is no secret`() {
        let text = secret.text
        #expect(SecretText(String(text.dropLast()), kind: .token) == nil)
        #expect(SecretText(text + "0", kind: .token) == nil)
        #expect(SecretText(String(text.dropLast(7)) + "z" + text.suffix(6), kind: .token) == nil)
        #expect(SecretText(text, kind: .link) == nil)
        #expect(SecretText(text, kind: .session) == nil)
        #expect(SecretText("", kind: .token) == nil)
        #expect(SecretText("weir_" + String(repeating: "é", count: 49), kind: .token) == nil)
        for index in 5..<54 {
            var bytes = Array(text.utf8)
            bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(SecretText(String(decoding: bytes, as: UTF8.self), kind: .token) == nil)
        }
    }

    @Test func `the hash of a secret does not hold the secret`() {
        #expect(!secret.hash.contains(secret.text))
        #expect(secret.hash.utf8.count == 64)
        #expect(SecretText.hash(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}
