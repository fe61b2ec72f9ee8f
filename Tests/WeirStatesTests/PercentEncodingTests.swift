import Testing
import WeirStates

@Suite struct PercentEncodingTests {
    @Test func `everything is encoded that could mean something else in an address, but what is to stay`() {
        #expect(PercentEncoding.encode("a b/c?d=é+%~") == "a%20b%2Fc%3Fd%3D%C3%A9%2B%25~")
        #expect(PercentEncoding.encode("a b/c?", keeping: "/") == "a%20b/c%3F")
        #expect(PercentEncoding.encode("\n\u{7F}é", keeping: "é") == "%0A%7F%C3%A9")
    }

    @Test func `what was encoded reads back, and what nobody encoded so is refused`() {
        for text in ["", "a b/c?d=é+%~", "\u{0}\u{7F}\u{80}", "確認"] {
            #expect(PercentEncoding.decode(PercentEncoding.encode(text)) == text)
        }
        #expect(PercentEncoding.decode("a+b") == "a+b")
        #expect(PercentEncoding.decode("a+b%2b", plusIsSpace: true) == "a b+")
        for text in ["%", "%4", "%4g", "%g4", "%FF"] { #expect(PercentEncoding.decode(text) == nil, "\(text)") }
    }
}
