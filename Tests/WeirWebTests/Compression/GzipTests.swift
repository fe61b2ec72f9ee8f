import Foundation
import NIOCore
import Testing

@testable import WeirWeb

@Suite struct GzipTests {
    @Test func `what is compressed can be read again, and is smaller`() throws {
        let text = String(repeating: "a page with much that comes again. ", count: 1_000)
        let compressed = try #require(Gzip.compress(ByteBuffer(string: text)))
        #expect(compressed.readableBytes < text.utf8.count / 50)
        #expect(try gunzip(Data(compressed.readableBytesView)) == Data(text.utf8))
    }

    @Test func `parts make one body, some of them compressed and some as they are`() throws {
        let long = [String(repeating: "x", count: 70_000), String(repeating: "ab", count: 65_535)]
        let texts = ["<p>", "", "Ana", long[0], "é", long[1]]
        for shift in 0...1 {
            let parts = try texts.enumerated().map { place, text in
                (place + shift) % 2 == 0
                    ? Gzip.Part(stored: text) : try #require(Gzip.Part(compressing: ByteBuffer(string: text)))
            }
            let body = Gzip.body(of: parts)
            #expect(try gunzip(Data(body.readableBytesView)) == Data(texts.joined().utf8))
        }
        #expect(try gunzip(Data(Gzip.body(of: []).readableBytesView)).isEmpty)
    }

    @Test func `bytes that compression does not make smaller stay as they are`() {
        var random = SeededGenerator(seed: 7)
        let noise = (0..<10_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        #expect(Gzip.compress(ByteBuffer(bytes: noise)) == nil)
        #expect(Gzip.compress(ByteBuffer(string: "short")) == nil)
    }

    @Test(arguments: [
        ("gzip", true), ("gzip, deflate, br, zstd", true), ("br, GZIP;q=0.5", true), ("*", true), ("x-gzip", true),
        ("gzip;q=0", false), ("gzip; q=0.000, *", false), ("*, gzip;q=0", false), ("br", false), ("", false),
        ("gzip;q=much", false), ("x-gzip, gzip;q=0", false), ("gzip, x-gzip;q=0", false), ("gzip;q=1, *;q=0", true),
        ("*;q=0, x-gzip", true), ("*;q=0", false), ("identity", false),
    ])
    func `a client says whether it takes gzip`(_ header: String, takes: Bool) {
        #expect(AcceptedCoding.isGzip(header) == takes)
        #expect(!AcceptedCoding.isGzip(nil))
    }

    @Test func `an entity tag is known by itself, weak or strong, among others or by a star`() {
        let (strong, weak) = (EntityTag("a"), EntityTag(weak: "a"))
        #expect([strong.field, weak.field, strong.coded("gzip").field] == ["\"a\"", "W/\"a\"", "\"a-gzip\""])
        for header in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "\"b\",W/\"a\"", "*"] {
            #expect(strong.isKnown(to: header) && weak.isKnown(to: header), "\(header)")
        }
        for header in ["", "\"b\"", "a", "\"a", nil] { #expect(!strong.isKnown(to: header)) }
    }
}
