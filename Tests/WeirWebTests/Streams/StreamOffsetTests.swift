import Foundation
import Testing
import WeirJournals

@testable import WeirWeb

// Section 8 of the Durable Streams protocol.
@Suite struct StreamOffsetTests {
    private func history(_ began: Int64, _ epoch: String = "k3f9aaaaaaaaa") -> StreamOffset.History {
        StreamOffset.History(epoch: epoch, began: Timestamp(milliseconds: began))
    }

    @Test func `an offset reads back as the place it was written for`() {
        for began in [Int64.min, -1, 0, 1, 1_790_000_000_000, .max] {
            for sequence in [SequenceNumber.zero, 1, 42, 9_999_999_999, .max] {
                let plain = StreamOffset(history(began), sequence)
                #expect(StreamOffset(plain.description) == plain)
                let both = StreamOffset(history(began), sequence, line: sequence.previous)
                #expect(StreamOffset(both.description) == both)
                let part = StreamOffset(history(began), sequence, part: "0123456789abc")
                #expect(StreamOffset(part.description) == part)
                #expect(part != plain)
            }
        }
    }

    @Test func `offsets sort as text as their places do, over a change of history too`() {
        let earlier = history(1_790_000_000_000, "zzzzzzzzzzzzz")
        let later = history(1_790_000_000_001, "0000000000000")
        let places: [StreamOffset] = [
            StreamOffset(earlier, 0), StreamOffset(earlier, 9), StreamOffset(earlier, 10),
            StreamOffset(earlier, 10, line: 0), StreamOffset(earlier, 10, line: 9), StreamOffset(earlier, 10, line: 10),
            StreamOffset(earlier, .max), StreamOffset(later, 0), StreamOffset(later, 100),
        ]
        let texts = places.map(\.description)
        #expect(texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } == texts)
        #expect(Set(texts).count == texts.count)
    }

    @Test func `an offset is short and has nothing that an address would have to encode`() {
        let text = StreamOffset(history(.max), .max, line: .max).description
        #expect(text.utf8.count < 100)
        #expect(
            text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            })
        #expect(!["-1", "now"].contains(text))
    }

    @Test func `what is not spelled as an offset is none`() {
        let good = StreamOffset(history(1_790_000_000_000), 41).description
        #expect(StreamOffset(good) != nil)
        let bad = [
            good + "_0123456789ab", good + "_0123456789abcd", good + "_0123456789ab-", good + "_0123456789ABC", "", "_",
            "0", "-1", "now", "k3f9.41", String(good.dropLast()), good + "0", good + "_", good + "_1",
            good.uppercased(), good.replacingOccurrences(of: "_", with: "-"), " " + good, good + " ",
            good.replacingOccurrences(of: "0000000000000041", with: "9999999999999999"),
            good.replacingOccurrences(of: "0000000000000041", with: "-000000000000041"),
            good.replacingOccurrences(of: "0000000000000041", with: "000000000000004１"),
            String(repeating: "_", count: 1_000),
        ]
        for text in bad { #expect(StreamOffset(text) == nil, "\(text)") }
    }
}
