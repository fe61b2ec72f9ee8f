import WeirStates

/// How much memory is in use, caches that can be dropped not counted.
package struct MemoryVitals: Codable, Hashable, Sendable {
    /// Bytes in use.
    package let usedBytes: Int64
    /// Bytes there are.
    package let totalBytes: Int64
    /// The part in use, in percent.
    package let usedPercent: Int
    /// The part in use, one value a second, the newest last, in percent.
    package let history: [Int]

    /// Makes vitals.
    package init(usedBytes: Int64, totalBytes: Int64, history: [Int]) {
        self.usedBytes = usedBytes
        self.totalBytes = totalBytes
        usedPercent = percent(usedBytes, of: totalBytes)
        self.history = history
    }
}

/// A part of a whole in whole percent, from 0 to 100; 0 of nothing.
func percent(_ part: Int64, of whole: Int64) -> Int {
    guard whole > 0 else { return 0 }
    return Int(clamping: Int64(clamping: (Double(min(max(part, 0), whole)) / Double(whole) * 100).rounded()))
}
