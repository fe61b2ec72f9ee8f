import TestSupport
import Testing

@testable import WeirBoards

/// The difference of two texts by lines.
@Suite struct LineDiffTests {
    private func kinds(_ first: String, _ second: String, ignoresNumbers: Bool = false) -> [String] {
        let texts = [first, second].map { $0.split(separator: " ").map(String.init) }
        return LineDiff(texts[0], texts[1], ignoresNumbers: ignoresNumbers).rows.map { row in
            let mark = row.kind == .same ? "=" : row.kind == .near ? "~" : "!"
            return mark + (row.first.map { texts[0][$0] } ?? "-") + (row.second.map { texts[1][$0] } ?? "-")
        }
    }

    @Test func `lines that are inserted, removed and replaced have no counterpart, all others do`() {
        #expect(kinds("a b c d", "a c x d") == ["=aa", "!b-", "=cc", "!-x", "=dd"])
        #expect(kinds("a b c", "a x c") == ["=aa", "!bx", "=cc"])
        #expect(kinds("a a b a a", "a b a a") == ["=aa", "!a-", "=bb", "=aa", "=aa"])
        #expect(kinds("", "a") == ["!-a"] && kinds("", "").isEmpty)
    }

    @Test func `lines that differ in times and numbers only belong together`() {
        let first = ["Fri Nov 27 17:55:01 start a1f9", "order 12 has no rate", "\u{1B}[31mred\u{1B}[0m"]
        let second = ["Sat Nov 28 04:00:00 start 77be", "a warning", "order 13 has no rate", "red"]
        let rows = LineDiff(first, second, ignoresNumbers: true).rows
        #expect(rows.map(\.kind) == [.near, .other, .near, .near])
        #expect(rows.map(\.first) == [0, nil, 1, 2] && rows.map(\.second) == [0, 1, 2, 3])
    }

    @Test func `every line of random texts is in exactly one row, in order, and counterparts are equal`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<300 {
            let texts = (0..<2).map { _ in
                (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    String(Int.random(in: 0...6, using: &generator))
                }
            }
            let rows = LineDiff(texts[0], texts[1]).rows
            #expect(rows.compactMap(\.first) == Array(texts[0].indices))
            #expect(rows.compactMap(\.second) == Array(texts[1].indices))
            for row in rows where row.kind == .same {
                #expect(row.first.map { texts[0][$0] } == row.second.map { texts[1][$0] })
            }
        }
    }

    @Test func `long texts without a line in common, and with lines in every order, take a bounded effort`() {
        var generator = SeededGenerator(seed: 7)
        let lines = (0..<5_000).map { "line \($0 % 700)" }
        let time = ContinuousClock().measure {
            _ = LineDiff(lines, lines.shuffled(using: &generator))
            _ = LineDiff(lines, lines.map { $0 + "x" })
        }
        #expect(time < .seconds(20))
    }
}
