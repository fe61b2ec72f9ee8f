import Testing

@testable import WeirPages

/// Text from anywhere, as it stands on a page.
@Suite struct CleanTextTests {
    @Test func `what people write stays as it is, also emoji and the letters of rare scripts`() {
        for text in ["plain", "Execução", "日本語", "🦀 👩‍👩‍👧", "𐍈𝄞", "\u{10FFFD}", "a\tb\nc", "\u{FFFD}"] {
            #expect(CleanText(text).text == text)
        }
    }

    @Test(arguments: [0, 0x1B, 0x7F, 0x85, 0xFDD0, 0xFFFE, 0x1FFFE, 0x10FFFF] as [UInt32])
    func `a character that no page may have is shown as missing`(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        #expect(CleanText("a\(scalar)b").text == "a\u{FFFD}b")
    }
}
