import Testing

@testable import MarkupTesting

struct SourceTextTests {
    @Test func `a line and a column lead to the byte that they come from, past letters of several bytes`() {
        let source = SourceText(Array("aé🦀b\nç<i>\n".utf8))
        for offset in [0, 1, 3, 7, 8, 9, 11] {
            let place = source.position(at: offset)
            #expect(source.offset(line: place.line, column: place.column) == offset, "\(place)")
        }
        // What lies beyond a line, or beyond the text, is the nearest place there is.
        #expect(source.offset(line: 1, column: 99) == 8 && source.offset(line: 0, column: 1) == 0)
        #expect(source.offset(line: 99, column: 1) == source.bytes.count)
    }

    @Test func `a problem shows the line that it stands in, and nothing of the next one`() {
        let source = SourceText(Array("<a>\n<b>\n<c>".utf8))
        for (offset, line) in [(0, "<a>"), (4, "<b>"), (8, "<c>")] {
            #expect(source.problem("It is wrong.", rule: "test", at: offset).excerpt == line)
        }
    }

    @Test func `of a long line, what stands around the problem is shown`() {
        let source = SourceText(Array((String(repeating: "a", count: 300) + "\nb").utf8))
        let excerpt = source.problem("It is wrong.", rule: "test", at: 100).excerpt
        #expect(excerpt == "…" + String(repeating: "a", count: 120) + "…")
    }
}
