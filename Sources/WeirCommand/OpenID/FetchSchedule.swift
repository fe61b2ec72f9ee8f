/// When a document of the provider's is fetched: when it is not fresh any more, and after failures less and less often.
///
/// Pure. Times are in milliseconds since 1970, of a clock that may be set.
struct FetchSchedule: Sendable {
    /// How long a failing fetch is not tried again at first, and at most.
    private static let (firstWait, longestWait): (Int64, Int64) = (1_000, 30_000)

    /// For how long a document is fresh.
    let freshFor: Int64
    /// How much time is between a fetch that went well and the next, even if it is asked for.
    let interval: Int64
    private var fetchedAt: Int64?
    private var triedAt: Int64?
    private var wait: Int64 = 0
    private var isFailing = false

    init(freshFor: Int64, interval: Int64 = 0) {
        self.freshFor = freshFor
        self.interval = interval
    }

    func isFresh(now: Int64) -> Bool { fetchedAt.map { (0..<freshFor).contains(now - $0) } ?? false }

    func mayFetch(now: Int64) -> Bool { triedAt.map { !(0..<wait).contains(now - $0) } ?? true }

    mutating func succeed(now: Int64) {
        (fetchedAt, triedAt, wait, isFailing) = (now, now, interval, false)
    }

    /// Notes a failure; returns how long to wait before the next attempt.
    mutating func fail(now: Int64) -> Int64 {
        fetchedAt = nil
        wait = isFailing ? min(wait * 2, Self.longestWait) : Self.firstWait
        (triedAt, isFailing) = (now, true)
        return wait
    }
}
