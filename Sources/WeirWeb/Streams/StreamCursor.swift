/// What followers of a stream echo, so that a cache has a new address for each wait: the number of an interval of time.
///
/// Section 10.1 of the protocol: intervals of 20 s, counted from 9 October 2024. An answer to a follower has the present
/// interval, or the one after the follower's own if that is not behind. There is no chance in it, or followers of one stream
/// would ask for addresses of their own.
struct StreamCursor: Hashable, Sendable, CustomStringConvertible {
    /// The length of an interval in milliseconds.
    static let interval: Int64 = 20_000
    /// The longest time for which a request is held, in milliseconds.
    static let longestHold: Int64 = 14_000
    /// When the first interval began, in milliseconds since 1970.
    private static let origin: Int64 = 1_728_432_000_000
    /// The last cursor that is taken from anybody.
    private static let last: Int64 = 999_999_999_999_999

    /// The number of the interval.
    let number: Int64

    /// The present interval.
    init(at wall: Int64) { number = max(0, Self.elapsed(at: wall) / Self.interval) }

    /// Reads decimal digits without leading zeros, at most fifteen; nil for anything else.
    init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard (1...15).contains(digits.count),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            digits.count == 1 || digits.first != UInt8(ascii: "0"), let number = Int64(text)
        else { return nil }
        self.number = number
    }

    private init(number: Int64) { self.number = number }

    var description: String { String(number) }

    /// The cursor of an answer to a follower who had this one, or none.
    static func following(_ cursor: StreamCursor?, at wall: Int64) -> StreamCursor {
        let current = StreamCursor(at: wall)
        guard let cursor, cursor.number >= current.number else { return current }
        return StreamCursor(number: min(last, cursor.number) + 1)
    }

    /// For how long a request is held that comes now, in milliseconds: until the interval ends, at most 14 s.
    static func hold(at wall: Int64) -> Int64 {
        let rest = elapsed(at: wall) % interval
        return min(longestHold, interval - (rest < 0 ? rest + interval : rest))
    }

    /// The time since the first interval began; what is beyond all that a clock can say counts as the end of it.
    private static func elapsed(at wall: Int64) -> Int64 {
        let (difference, isOver) = wall.subtractingReportingOverflow(origin)
        return isOver ? .min / 2 : difference
    }
}
