import Foundation
import Testing
import TestSupport
import WeirJournals

@Suite struct TimestampTests {
    @Test func `every moment reads back from its text, to the millisecond`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<50_000 {
            let moment = Timestamp(
                milliseconds: Int64.random(in: -62_000_000_000_000...253_402_300_799_999, using: &generator))
            #expect(Timestamp(moment.description) == moment, "\(moment.milliseconds)")
            #expect(Timestamp(moment.date) == moment, "\(moment.milliseconds)")
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `a moment is written as ISO 8601`(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test func `moments beyond what a text can say are the first and the last, and no reckoning overflows`() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(first.description == "-999999-01-01T00:00:00.000Z" && Timestamp(first.description) == first)
        #expect(last.description == "+999999-12-31T23:59:59.999Z" && Timestamp(last.description) == last)
        #expect(Timestamp("+999999-12-31T23:59:59.999-23:59") == nil && Timestamp("-999999-01-01T00:00:00Z") == first)
        #expect(Timestamp("-999999-01-01T00:00:00+00:01") == nil)
        #expect(last - first == 63_113_872_377_599_999 && first - last == -63_113_872_377_599_999)
        for date in [Date.distantPast, .distantFuture] { #expect(Timestamp(Timestamp(date).description) != nil) }
        for seconds in [1e300, .infinity] { #expect(Timestamp(Date(timeIntervalSince1970: seconds)) == last) }
        #expect(Timestamp(Date(timeIntervalSince1970: -1e300)) == first)
        #expect(Timestamp(Date(timeIntervalSince1970: .nan)).milliseconds == 0)
    }

    @Test func `the calendar is the system's`() {
        var generator = SeededGenerator(seed: 8)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
        for _ in 0..<500 {
            let seconds = Int64.random(in: 0...4_000_000_000, using: &generator)
            let text = Date(timeIntervalSince1970: Double(seconds)).formatted(style)
            #expect(Timestamp(milliseconds: seconds * 1_000).description == text.dropLast() + ".000Z")
        }
    }

    @Test(
        arguments: [
            ("2026-11-21T11:39:23Z", 1_795_261_163_000), ("2026-11-21T11:39:23.5Z", 1_795_261_163_500),
            ("2026-11-21T11:39:23.123999Z", 1_795_261_163_123), ("2026-11-21T13:39:23+02:00", 1_795_261_163_000),
            ("2026-11-21T06:09:23.000-0530", 1_795_261_163_000),
        ] as [(String, Int64)])
    func `other forms of ISO 8601 are read`(text: String, milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T11:39Z", "2026-11-21 11:39:23Z", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T11:60:23Z", "2026-11-21T11:39:23", "now",
        "2026-11-21T11:39:23.Z", "2026-11-21T11:39:23Z ", "2026-11-21T11:39:23+2:00", "２026-11-21T11:39:23Z",
        "2026-11-21T11:39:23+24:00", "2026-11-21T11:39:23-0260",
    ])
    func `anything else is no moment`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test(arguments: [
        "+999999-12-31T23:59:59-00:01", "-999999-01-01T00:00:00+00:01",
    ])
    func `a moment whose own text could not be read again is not read either`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test(arguments: ["+999999-12-31T23:59:59.999Z", "-999999-01-01T00:00:00.000Z"])
    func `the first and the last moment there are come back from their texts`(text: String) throws {
        #expect(try #require(Timestamp(text)).description == text)
    }
}
