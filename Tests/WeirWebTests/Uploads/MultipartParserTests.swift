import NIOCore
import Testing

@testable import WeirWeb

struct MultipartParserTests {
    private static let good =
        "--b\r\nContent-Disposition: form-data; name=\"destination\"\r\n\r\narchive\r\n"
        + "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.bin\"\r\nContent-Type: image/png\r\n\r\n"
        + "\r\n--a\r\n-\r\n--\r\r\n\r\n--b--\r\n"

    /// Each part's name, filename, type and content, when the body arrives in pieces of a size.
    private func parts(_ body: String, boundary: String = "b", pieces size: Int) throws -> [[String]] {
        var parser = try #require(MultipartParser(boundary: boundary))
        var result: [[String]] = []
        var content: [UInt8] = []
        func take() throws {
            while let event = try parser.next() {
                switch event {
                case .part(let part):
                    result.append([part.name, part.filename ?? "-", part.contentType ?? "-"])
                    content = []
                case .data(let bytes): content += Array(bytes.readableBytesView)
                case .endOfPart: result[result.count - 1].append(String(decoding: content, as: UTF8.self))
                case .end: return
                }
            }
        }
        var rest = Array(body.utf8)[...]
        while !rest.isEmpty {
            parser.push(ByteBuffer(bytes: rest.prefix(size)))
            rest = rest.dropFirst(size)
            try take()
        }
        try take()
        try parser.finish()
        return result
    }

    @Test(arguments: [1, 2, 3, 5, 7, 16, 64, 10_000])
    func `a body is the same in whatever pieces it arrives`(size: Int) throws {
        #expect(
            try parts(Self.good, pieces: size) == [
                ["destination", "-", "-", "archive"],
                ["file", "a.bin", "image/png", "\r\n--a\r\n-\r\n--\r\r\n"],
            ])
    }

    @Test func `names are unescaped as browsers and curl write them`() throws {
        let body = { (disposition: String) in
            "--b\r\nContent-Disposition: form-data; \(disposition)\r\n\r\nx\r\n--b--"
        }
        #expect(try parts(body("name=\"a%22b\"; filename=\"C:\\dir\\f.txt\""), pieces: 9)[0][0] == "a\"b")
        #expect(try parts(body("name=\"a\"; filename=\"C:\\dir\\f.txt\""), pieces: 9)[0][1] == "C:\\dir\\f.txt")
        #expect(try parts(body("name=\"a\\\"b\""), pieces: 9)[0][0] == "a\"b")
        #expect(
            try parts(body("name=plain; filename=\"\u{e4}\u{1f600}.txt\""), pieces: 9)[0][1] == "\u{e4}\u{1f600}.txt")
    }

    @Test(arguments: [
        // No boundary, a preamble, another boundary, padding, a bare line feed.
        "", "x", "preamble\r\n--b\r\n", "--c\r\n", "--b \r\n", "--b\n", "--bb\r\n", "\r\n--b\r\n",
        // Cut off at each place.
        "--b", "--b\r\n", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nvalue\r\n--b", "--b-",
        // Heads that are none.
        "--b\r\n\r\nvalue\r\n--b--", "--b\r\nContent-Type: text/plain\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"\"\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"a\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"a\"; filename*=UTF-8''x\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data;\r\n name=\"a\"\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition : form-data; name=\"a\"\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--",
        "--b\r\nContent-Disposition: form-data; name=\"a\u{0}\"\r\n\r\nx\r\n--b--",
        // Something behind the end, or a boundary that goes on.
        "--b--x", "--b--\r\nx", "--b--\r\n\r\n",
        "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--bc\r\n--b--",
    ])
    func `a malformed body is refused, however it arrives`(body: String) {
        for size in [1, 3, 10_000] {
            #expect(throws: MultipartMistake.self) { try parts(body, pieces: size) }
        }
    }

    @Test func `a head without end, and parts without end, are refused before they fill memory`() throws {
        let head = "--b\r\nX: " + String(repeating: "a", count: 9_000)
        #expect(throws: MultipartMistake.headTooLong) { try parts(head, pieces: 100) }
        let part = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n"
        let many = String(repeating: part, count: 101) + "--b--"
        #expect(throws: MultipartMistake.tooManyParts) { try parts(many, pieces: 10_000) }
    }

    @Test(arguments: [nil, "", "a b ", "b\u{e4}", "a\"b", "a\r\nb", String(repeating: "b", count: 71)] as [String?])
    func `a boundary that is none is refused`(boundary: String?) {
        #expect(MultipartParser(boundary: boundary) == nil)
    }

    @Test func `random bytes never crash it, and content that has no boundary comes out as it went in`() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            var content: [UInt8] = (0..<(random.next() % 300)).map { _ in
                [13, 10, 45, 45, 98, 0, 255, 65][Int(random.next() % 8)]
            }
            while let range = content.firstRange(of: Array("\r\n--b".utf8)) { content.remove(at: range.lowerBound) }
            var parser = try #require(MultipartParser(boundary: "b"))
            var body = Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8)
            body += content + Array("\r\n--b--".utf8)
            var result: [UInt8] = []
            var rest = body[...]
            while !rest.isEmpty {
                let size = Int(random.next() % 40) + 1
                parser.push(ByteBuffer(bytes: rest.prefix(size)))
                rest = rest.dropFirst(size)
                while let event = try parser.next(), event != .end {
                    if case .data(let bytes) = event { result += Array(bytes.readableBytesView) }
                }
            }
            #expect(result == content)
        }
    }

    @Test(arguments: [
        ("a.txt", "a.txt"), ("../../etc/passwd", "passwd"), ("C:\\x\\y.txt", "y.txt"), ("..", "file"), ("", "file"),
        ("/", "file"), ("a\u{0}b\r\n.txt", "ab.txt"), (".bashrc", ".bashrc"),
        ("a/\u{301}b.txt", "\u{301}b.txt"), ("a\\\u{FE0F}b.txt", "\u{FE0F}b.txt"),
    ])
    func `a file's name is its last component, without anything that could act`(sent: String, plain: String) {
        #expect(MultipartPart.plainFilename(sent) == plain)
    }
}
