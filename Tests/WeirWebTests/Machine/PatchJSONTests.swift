import NIOCore
import Testing
import WeirPages
import WeirStates

@testable import WeirWeb

struct PatchJSONTests {
    @Test func `patches are sent as the lists that the protocol says, whatever is in them`() throws {
        let hostile = "a\"b\\c\n\r\t\u{0}\u{1F}/</script>\u{2028}\u{10FFFF}e\u{301}"
        let text = JSONValue.string(hostile)
        let patches: [(patch: Patch, list: JSONValue)] = [
            (.morph(id: hostile, html: hostile), ["m", text, text]),
            (.ifPresent(.morph(id: "x", html: hostile)), ["m", "x", text, 1]),
            (.ifPresent(.attributes(id: "x", ["a": nil])), ["s", "x", ["a": nil], 1]),
            (.remove(id: hostile), ["r", text]), (.append(to: "x", html: ""), ["a", "x", ""]),
            (.prepend(to: "x", html: hostile), ["p", "x", text]),
            (.insert(before: "x", html: hostile), ["b", "x", text]),
            (.text(id: "", hostile), ["t", "", text]),
            (.attributes(id: "x", [hostile: hostile, "b": nil]), ["s", "x", .object([hostile: text, "b": .null])]),
        ]
        for some in [patches, [], [patches[1]]] {
            var buffer = ByteBuffer()
            buffer.write(some.map(\.patch))
            let written = try JSONValue(parsing: String(buffer: buffer))
            #expect(written == .array(some.map(\.list)))
        }
    }
}
