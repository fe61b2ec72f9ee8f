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

    @Test func `a secret is masked behind a user’s name in base 64, and broken into lines`() {
        let mask = SecretMask([secret])
        #expect(mask.masked("Basic " + Data("user:\(secret)".utf8).base64EncodedString()) == "Basic dXNlcjp•••")
        let key = String(repeating: "0123456789abcdef", count: 8)
        let folded = Data(key.utf8).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
        #expect(SecretMask([key]).masked("key:\n\(folded)\n") == "key:\n•••\n")
    }

    @Test func `hexadecimal digits of a secret are masked in either case, and in both at once`() {
        let mask = SecretMask([secret])
        let hex = Hex(secret.utf8).text
        let mixed = String(
            hex.enumerated().map { $0.offset % 3 == 0 ? Character($0.element.uppercased()) : $0.element })
        for form in [hex, hex.uppercased(), mixed] { #expect(mask.masked("a \(form) b") == "a ••• b") }
    }

    @Test func `percent signs, slashes and other characters can be escaped or not`() {
        let mask = SecretMask(["s3cr3t/p&ss+ö '7"])
        for form in [
            "s3cr3t/p%26ss%2B%C3%B6%20%277", "s3cr3t%2fp%26ss%2b%c3%b6+'7",
            "s3cr3t%252Fp%2526ss%252B%25C3%25B6%2520%25277",
            #"s3cr3t\/p\u0026ss+\u00f6 '7"#, #"s3cr3t\/p\u0026ss+\u00F6 '7"#, #"s3cr3t/p&ss+ö '\''7"#,
            #"s3cr3t/p\&ss+ö\ \'7"#, #"s3cr3t/p&amp;ss+ö &#x27;7"#, #"s3cr3t/p&ss+\xc3\xb6 '7"#,
        ] {
            #expect(mask.masked("a \(form) b") == "a ••• b", "\(form)")
        }
    }

    @Test func `the beginning of a secret before the ellipsis of a text that was cut off is masked`() {
        let mask = SecretMask(["hunter2-hunter2"])
        #expect(mask.masked("The answer was hunter2-hu…") == "The answer was •••…")
        #expect(mask.masked("The answer was huge…") == "The answer was huge…")
        #expect(mask.masked("The answer was hu…") == "The answer was hu…")
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
        #expect(SecretMask(["aaaaaaaa"]).masked(String(repeating: "a", count: 17)) == "•••")
        #expect(SecretMask(["abcdefgh"]).masked("abcdefghabcdefghi") == "••••••i")
    }
}
