import Testing

@testable import WeirFiles

struct ArtifactPatternTests {
    private func matches(_ pattern: String, _ path: String) throws -> Bool {
        let pattern = try ArtifactPattern(pattern)
        let place = path.split(separator: "/").reduce(pattern.start) { pattern.place(after: $0, Array($1.utf8)) }
        return pattern.isMatched(at: place)
    }

    @Test(arguments: [
        ("dist/*.tar.gz", "dist/a.tar.gz", true), ("dist/*.tar.gz", "dist/a.tar", false),
        ("dist/*.tar.gz", "dist/x/a.tar.gz", false), ("dist/*", "dist/.hidden", false),
        ("dist/.*", "dist/.hidden", true),
        ("**/*.log", "a.log", true), ("**/*.log", "x/y/a.log", true), ("**/*.log", ".git/a.log", false),
        ("a/**", "a/b/c", true), ("a/**/c", "a/c", true), ("a/**/c", "b/c", false), ("?.txt", "é.txt", true),
        ("?.txt", "ab.txt", false), ("*a*b*c", "xaybzc", true), ("*a*b*c", "xaybz", false),
        ("[a].txt", "[a].txt", true),
    ])
    func `a star stays in its component, two stars pass folders, and hidden names are named`(
        pattern: String, path: String, isMatch: Bool
    ) throws {
        #expect(try matches(pattern, path) == isMatch)
    }

    @Test func `a pattern with many stars takes time in proportion to both lengths`() throws {
        let pattern = String(repeating: "*a", count: 100) + "b"
        #expect(try !matches(pattern, String(repeating: "a", count: 255)))
    }

    @Test(arguments: ["/etc/passwd", "../x", "a/../b", "", "a//b", "a/", "./a", "a\0b", "{{name}}.txt"])
    func `a file names only paths below the folder`(pattern: String) {
        #expect(throws: ArtifactPattern.Mistake.self) { try ArtifactPattern(pattern) }
    }

    @Test func `a mistake in a pattern has its place in the file`() {
        let mistakes = FileTrial.mistakes("title: T\ncommand: [\"true\"]\nartifacts: [a.txt, ../b.txt]\n")
        #expect(
            mistakes == [
                "3:20: Only files below the folder where the program runs are kept. Remove / or .. here."
            ])
    }
}
