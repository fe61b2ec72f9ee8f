import Foundation
import Testing

@testable import WeirStates

@Suite struct SecretMaskTests {
    private let secret = "s3cr3t/p&ss \"wörd\""

    @Test func `a secret is masked as it is and in the forms that programs write it in`() throws {
        let mask = SecretMask([secret])
        let data = Data(secret.utf8)
        let forms = [
            secret, data.base64EncodedString(), data.map { String(format: "%02x", $0) }.joined(),
            try #require(secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics)),
            String(try JSONValue.string(secret).text().dropFirst().dropLast()),
        ]
        for form in forms.dropLast(2) + [forms[4]] {
            #expect(mask.masked("before \(form) behind \(form)") == "before ••• behind •••", "\(form)")
        }
    }

    @Test func `a secret is found in names, texts and lists of a value, and as a number`() {
        let mask = SecretMask(["12345678", "hunter2-hunter2"])
        let value: JSONValue = [
            "hunter2-hunter2": ["a hunter2-hunter2 b", 12_345_678], "other": 87_654_321, "flag": true,
        ]
        #expect(
            mask.masked(value) == ["•••": ["a ••• b", "•••"], "other": 87_654_321, "flag": true])
    }

    @Test func `every long line of a secret is masked, and a mark behind it hides nothing`() {
        let mask = SecretMask(["-----BEGIN KEY-----\nMIIBVgIBADANBg\nshort\n-----END KEY-----\n"])
        #expect(mask.masked("got MIIBVgIBADANBg\u{301} here") == "got •••\u{301} here")
        #expect(mask.masked("short") == "short")
    }

    @Test func `short secrets are not looked for, and without secrets nothing changes`() {
        #expect(SecretMask(["abc"]).isEmpty)
        #expect(SecretMask.none.masked("anything") == "anything")
        #expect(SecretMask(["12345678"]).masked("1234567") == "1234567")
        #expect(SecretMask(["aaaaaaaa"]).masked(String(repeating: "a", count: 17)) == "••••••a")
    }
}
