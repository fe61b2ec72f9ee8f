import Foundation
import NIOCore
import Pages
import States
import Testing

@testable import Web

struct PatchJSONTests {
    @Test func `patches are the lists that their encoding says, whatever is in them`() throws {
        let hostile = "a\"b\\c\n\r\t\u{0}\u{1F}/</script>\u{2028}\u{10FFFF}e\u{301}"
        let patches: [Patch] = [
            .morph(id: hostile, html: hostile), .morphIfPresent(id: "x", html: hostile), .remove(id: hostile),
            .append(to: "x", html: ""), .prepend(to: "x", html: hostile), .text(id: "", hostile),
        ]
        for list in [patches, [], [patches[1]]] {
            var buffer = ByteBuffer()
            buffer.write(list)
            let written = try JSONValue(parsing: String(buffer: buffer))
            #expect(try written == JSONValue(parsing: String(decoding: JSONEncoder().encode(list), as: UTF8.self)))
        }
    }
}
