import Testing

import WeirStates

/// Names that others send, and that stand beside what people did.
struct VisibleNameTests {
    @Test func `a name has at most so many characters, and at least one`() {
        #expect(VisibleName.isSound(String(repeating: "é", count: 200)))
        #expect(!VisibleName.isSound(String(repeating: "é", count: 201)) && !VisibleName.isSound(""))
        #expect(VisibleName.isSound("abc", limit: 3) && !VisibleName.isSound("abcd", limit: 3))
    }

    @Test(arguments: ["a\u{202E}b", "a\u{200B}b", "a\nb", "a\u{2028}b", "\u{1B}[2J", "\u{E000}", "a\u{FFFD}", "\0"])
    func `what nobody sees, or what changes how others are read, is in no name`(text: String) {
        #expect(!VisibleName.isSound(text))
    }

    @Test(arguments: ["Ana Lúcia", "山田 太郎", "O’Brien, R. (ops)", "🦀"])
    func `what people are called is a name`(text: String) { #expect(VisibleName.isSound(text)) }
}
