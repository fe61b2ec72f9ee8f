import Foundation
import Testing
import WeirJournals

@Suite struct SequenceNumberTests {
    @Test(arguments: ["0", "1", "42", "9007199254740991"])
    func `decimal digits are read and written the same`(text: String) throws {
        let sequence = try #require(SequenceNumber(text))
        #expect(sequence.description == text)
        #expect(try JSONDecoder().decode([SequenceNumber].self, from: Data("[\(text)]".utf8)) == [sequence])
        #expect(String(decoding: try JSONEncoder().encode([sequence]), as: UTF8.self) == "[\(text)]")
    }

    @Test(arguments: [
        "", " ", "-1", "-0", "+1", "00", "01", "1 ", " 1", "1.0", "1e3", "0x1", "\u{661}", "１", "1\u{301}", "1\0",
        "9007199254740992", "9223372036854775807", "9223372036854775808", "99999999999999999999999999999999",
    ])
    func `whatever is spelled otherwise or lies outside is no place`(text: String) {
        #expect(SequenceNumber(text) == nil)
    }

    @Test(arguments: ["-1", "9007199254740992", "9223372036854775807", "1.5", "1e400", "\"1\""])
    func `JSON that holds no place is refused`(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([SequenceNumber].self, from: Data("[\(text)]".utf8))
        }
    }

    @Test func `arithmetic stops at the ends`() {
        #expect(SequenceNumber.max.next == .max && SequenceNumber.zero.previous == .zero)
        #expect(SequenceNumber(41).next == 42 && SequenceNumber(42).previous == 41)
        #expect(SequenceNumber.max.advanced(by: .max) == .max && SequenceNumber.zero.advanced(by: .min) == .zero)
        #expect(SequenceNumber(5).advanced(by: -7) == .zero && SequenceNumber(5).advanced(by: -3) == 2)
        #expect(SequenceNumber.zero.distance(to: .max) == 9_007_199_254_740_991)
        #expect(SequenceNumber.max.distance(to: .zero) == -9_007_199_254_740_991)
        #expect(Array(SequenceNumber(3)...5) == [3, 4, 5])
    }

    @Test func `numbers of other types are taken in exactly or at the nearest end`() {
        #expect(SequenceNumber(exactly: UInt64.max) == nil && SequenceNumber(exactly: -1) == nil)
        #expect(SequenceNumber(exactly: 7) == 7)
        #expect(SequenceNumber(clamping: Int64.max) == .max && SequenceNumber(clamping: UInt64.max) == .max)
        #expect(SequenceNumber(clamping: Int64.min) == .zero && SequenceNumber(clamping: 7) == 7)
    }
}
