import Foundation

/// The one-sided Mann–Whitney test, with the normal approximation and the correction for ties.
///
/// It compares ranks, so that single outliers and the shape of the distribution matter little.
enum RankTest {
    /// The probability of ranks of `later` this high if both samples have the same distribution; 1 if a sample is empty.
    static func probability(later: [Int64], earlier: [Int64]) -> Double {
        let (first, second) = (Double(later.count), Double(earlier.count))
        guard first > 0, second > 0 else { return 1 }
        let values = (later.map { ($0, true) } + earlier.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var (sum, ties) = (0.0, 0.0)
        var start = 0
        while start < values.count {
            var end = start
            while end < values.count, values[end].0 == values[start].0 { end += 1 }
            let (count, rank) = (Double(end - start), Double(start + 1 + end) / 2)
            sum += rank * Double(values[start..<end].count { $0.1 })
            ties += count * count * count - count
            start = end
        }
        let all = first + second
        let statistic = sum - first * (first + 1) / 2
        let variance = first * second / 12 * (all + 1 - ties / (all * max(all - 1, 1)))
        guard variance > 0 else { return 1 }
        let distance = (statistic - first * second / 2 - 0.5) / variance.squareRoot()
        return erfc(distance / 2.0.squareRoot()) / 2
    }
}
