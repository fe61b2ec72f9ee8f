import Testing
import WeirFiles

struct LineSplitterTests {
    /// What becomes of bytes that arrive in pieces of a size.
    private func pieces(_ bytes: [UInt8], by size: Int, isDrained: Bool = false) -> [LineSplitter.Piece] {
        var splitter = LineSplitter()
        var pieces: [LineSplitter.Piece] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { part in
                splitter.take(part, isDrained: isDrained) { pieces.append($0) }
            }
        }
        splitter.finish { pieces.append($0) }
        return pieces
    }

    private func pieces(_ text: String, by size: Int = 1_000) -> [LineSplitter.Piece] {
        pieces(Array(text.utf8), by: size)
    }

    @Test(arguments: [1, 2, 3, 7, 1_000])
    func `lines end with LF or CR LF, however they arrive`(size: Int) {
        #expect(pieces("a\nb\r\n\nc\r\r\nlast", by: size) == ["a", "b", "", "c", "last"].map { .line($0) })
    }

    @Test(arguments: [1, 3, 1_000])
    func `a text that is overwritten is a tick, and what stays is the line`(size: Int) {
        #expect(pieces("10%\r20%\r30%\nnext\n", by: size) == [.tick("10%"), .tick("20%"), .line("30%"), .line("next")])
        #expect(pieces("\r10%\r20%", by: size) == [.tick("10%"), .line("20%")])
    }

    @Test func `a text that overwrites another is shown as soon as it stands`() {
        var splitter = LineSplitter()
        var found: [LineSplitter.Piece] = []
        for text in ["\r10%", "\r20%", "\n"] {
            Array(text.utf8).withUnsafeBytes { splitter.take($0, isDrained: true) { found.append($0) } }
        }
        // Each is seen when it arrives, and once more when it is overwritten.
        #expect(found == [.tick("10%"), .tick("10%"), .tick("20%"), .line("20%")])
    }

    @Test(arguments: [1, 1_000, 100_000])
    func `a line without end comes in pieces of bounded length, cut between characters`(size: Int) {
        let bytes = Array(String(repeating: "aé€😀", count: 5_000).utf8)
        let found = pieces(bytes, by: size)
        #expect(found.allSatisfy { $0.text.utf8.count <= LineSplitter.limit })
        #expect(found.map(\.text).joined() == String(decoding: bytes, as: UTF8.self))
        #expect(found.first.map { if case .line = $0 { true } else { false } } == true)
        #expect(found.dropFirst().allSatisfy { if case .continuation = $0 { true } else { false } })
        #expect(found.count == 4 && found.map(\.continues) == [true, true, true, false])
    }

    @Test func `bytes that are no text become the replacement character, and nothing else is lost`() {
        let found = pieces([0xFF, 65, 0xC3, 10, 0xE2, 0x82, 66, 10], by: 1)
        #expect(found == [.line("\u{FFFD}A\u{FFFD}"), .line("\u{FFFD}B")])
        let binary = pieces(Array(repeating: 0x80, count: 40_000), by: 999)
        #expect(binary.map(\.text.unicodeScalars.count).reduce(0, +) == 40_000)
    }
}
