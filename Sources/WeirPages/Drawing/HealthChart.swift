import WeirBoards
import WeirJournals
import WeirStates

/// The figures of an operation over time as two rows of bars, each in a box 60 high and ten times as wide as there are bars.
struct HealthChart {
    /// A part of a bar, from the top of the box.
    struct Part: Equatable {
        let x: Int
        let y: Int
        let height: Int
        /// What it stands for, as the class that colours it.
        let tone: String
    }

    /// The height of the box.
    static let height = 60
    /// From the beginning of one bar to that of the next.
    static let pitch = 10

    private let buckets: [OperationHealth.Bucket]

    init(_ health: OperationHealth) { buckets = health.buckets }

    /// The width of the box.
    var width: Int { buckets.count * Self.pitch }

    /// The most runs that ended in one bar.
    var mostRuns: Int { buckets.map(\.figures.ended).max() ?? 0 }

    /// The longest duration that is drawn, in milliseconds; nil if nothing succeeded.
    var longest: Int64? { buckets.compactMap(\.figures.p95).max() }

    /// How many runs ended in each bar: those that succeeded at the bottom, then those that were stopped, and those that
    /// failed on top.
    var outcomes: [[Part]] {
        bars { bucket in
            let figures = bucket.figures
            let sums = [figures.succeeded, figures.succeeded + figures.stopped, figures.ended]
            return zip(["ok", "warn", "bad"], sums).map { ($0, Double($1) / Double(max(mostRuns, 1))) }
        }
    }

    /// How long the successes of each bar took: the median, and above it what 95 % did not exceed.
    var durations: [[Part]] {
        let longest = Double(max(longest ?? 1, 1))
        return bars { bucket in
            [("active", bucket.figures.p50), ("active open", bucket.figures.p95)].compactMap { tone, value in
                value.map { (tone, Double($0) / longest) }
            }
        }
    }

    /// Bars of parts, each of which ends at a part of the height; whatever there is at all can be seen.
    private func bars(_ ends: (OperationHealth.Bucket) -> [(tone: String, end: Double)]) -> [[Part]] {
        buckets.enumerated().map { index, bucket in
            var (parts, top): ([Part], Int) = ([], 0)
            var last = 0.0
            for (tone, end) in ends(bucket) where end > last {
                let next = min(max(Int(clamping: Int64(clamping: end * Double(Self.height))), top + 2), Self.height)
                if next > top {
                    parts.append(
                        Part(x: index * Self.pitch + 1, y: Self.height - next, height: next - top, tone: tone))
                }
                (top, last) = (next, end)
            }
            return parts
        }
    }
}
