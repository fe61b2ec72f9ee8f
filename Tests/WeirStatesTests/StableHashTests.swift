import Testing
import WeirStates

@Suite struct StableHashTests {
    /// The published test vectors of 64-bit FNV-1a, on which recorded marks and slots depend.
    @Test(arguments: [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)])
    func `the hash of a text never changes, and parts hash as the whole`(_ text: String, _ hash: UInt64) {
        #expect(StableHash(text.utf8).value == hash)
        var parts = StableHash()
        for byte in text.utf8 { parts.combine([byte]) }
        #expect(parts.value == hash)
    }
}
