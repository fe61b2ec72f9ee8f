import Testing

@testable import WeirStandard

struct SafeFilenameTests {
    @Test(arguments: [
        ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("C:\\Users\\a\\b.txt", "b.txt"),
        ("/", "file"), ("", "file"), (".", "file"), ("..", "file"), (".htaccess", "htaccess"), ("...a", "a"),
        ("a\u{0}b\nc\u{1B}[2J.txt", "abc[2J.txt"), ("gpj.\u{202E}exe.txt", "gpj.exe.txt"), ("a:b?.txt", "a_b_.txt"),
        ("  spaced out .txt  ", "spaced out .txt"), ("日本語.tar", "日本語.tar"), ("a/../..", "file"), ("\u{7F}", "file"),
        ("a/\u{301}b.txt", "\u{301}b.txt"), ("a\\\u{FE0F}b.txt", "\u{FE0F}b.txt"),
    ])
    func `a name from outside becomes one that leads nowhere else`(text: String, safe: String) {
        #expect(SafeFilename(text).text == safe)
    }

    @Test func `a name that is too long is cut before its extension, between characters`() {
        let name = SafeFilename(String(repeating: "é", count: 5_000) + ".tar")
        #expect(name.text.utf8.count <= 200)
        #expect(name.text.hasSuffix("éé.tar"))
        #expect(name.numbered(10_000).utf8.count < 255)
    }

    @Test func `a name of just the greatest length keeps its last character`() {
        let name = String(repeating: "a", count: 195) + "b.tar"
        #expect(name.utf8.count == 200)
        #expect(SafeFilename(name).text == name)
        #expect(SafeFilename("c" + name).text == "c" + String(repeating: "a", count: 195) + ".tar")
    }

    @Test func `a name that is cut does not end in a space, and is safe as it is`() {
        let name = SafeFilename(String(repeating: "a", count: 199) + "   " + String(repeating: "b", count: 99)).text
        #expect(name == String(repeating: "a", count: 199))
        #expect(SafeFilename(name).text == name)
    }

    @Test func `the number stands before the extension`() {
        #expect(SafeFilename("a.txt").numbered(1) == "a.txt.gz")
        #expect(SafeFilename("a.txt").numbered(2) == "a (2).txt.gz")
        #expect(SafeFilename("README").numbered(3) == "README (3).gz")
    }
}
