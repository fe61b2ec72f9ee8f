import Testing
import WeirStates

@Suite struct HexTests {
    @Test func `bytes are written as lower-case digits and read back, and what is none of these is refused`() {
        for bytes: [UInt8] in [[], [0, 9, 10, 0xAB, 255]] { #expect(Hex(Hex(bytes).text)?.bytes == bytes) }
        #expect(Hex([0, 9, 10, 0xAB, 255] as [UInt8]).text == "00090aabff")
        for text in ["0", "000", "0g", "g0", "AB", "/0", ":0", "`0", " 0", "é"] { #expect(Hex(text) == nil, "\(text)") }
    }
}
