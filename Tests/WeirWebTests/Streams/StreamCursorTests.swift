import Testing

@testable import WeirWeb

// Section 10.1 of the Durable Streams protocol.
@Suite struct StreamCursorTests {
    private let origin: Int64 = 1_728_432_000_000

    @Test func `intervals of twenty seconds are counted from 9 October 2024`() {
        #expect(StreamCursor(at: origin).number == 0)
        #expect(StreamCursor(at: origin + 19_999).number == 0)
        #expect(StreamCursor(at: origin + 20_000).number == 1)
        #expect(StreamCursor(at: 0).number == 0)
        #expect(StreamCursor(at: .min).number == 0)
    }

    @Test func `the next cursor is the present one, or the one after the follower's, and never goes back`() throws {
        let wall = origin + 1_000 * 20_000 + 5
        #expect(StreamCursor.following(nil, at: wall).number == 1_000)
        for (sent, next) in [("0", 1_000), ("999", 1_000), ("1000", 1_001), ("1001", 1_002), ("5000", 5_001)] {
            let cursor = try #require(StreamCursor(sent))
            #expect(StreamCursor.following(cursor, at: wall).number == Int64(next))
        }
        var cursor = try #require(StreamCursor("999999999999999"))
        for _ in 0..<3 { cursor = StreamCursor.following(cursor, at: .max) }
        #expect(cursor.number == 1_000_000_000_000_000)
    }

    @Test func `all who hold the same cursor get the same next one`() throws {
        let cursor = try #require(StreamCursor("7"))
        #expect(Set((0..<20).map { StreamCursor.following(cursor, at: origin + $0 * 900) }).count == 1)
    }

    @Test func `a clock that is set back or ahead never makes a cursor go back, or come twice`() throws {
        var wall = origin + 5_000 * 20_000
        var cursor: StreamCursor?
        for jump in [0, 7_000, -3_600_000, 14_000, -86_400_000, 20_000, 3_600_000, -1, 90_000_000, Int64.min / 4, 1] {
            wall += jump
            let next = StreamCursor.following(cursor, at: wall)
            if let cursor { #expect(next.number > cursor.number) }
            #expect((1...StreamCursor.longestHold).contains(StreamCursor.hold(at: wall)))
            cursor = next
        }
    }

    @Test func `what is no number of an interval is no cursor`() {
        for text in ["", "-1", "+1", "01", "1.0", "1e3", " 1", "1 ", "１", "abc", "9999999999999999"] {
            #expect(StreamCursor(text) == nil, "\(text)")
        }
        #expect(StreamCursor("0") != nil)
    }

    @Test func `a hold ends with the interval, and after fourteen seconds at most`() {
        #expect(StreamCursor.hold(at: origin) == 14_000)
        #expect(StreamCursor.hold(at: origin + 6_000) == 14_000)
        #expect(StreamCursor.hold(at: origin + 6_001) == 13_999)
        #expect(StreamCursor.hold(at: origin + 19_999) == 1)
        for wall in [Int64.min, -1, 0, 1, 20_001, .max] { #expect((1...14_000).contains(StreamCursor.hold(at: wall))) }
    }
}
