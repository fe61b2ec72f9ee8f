import WeirOperations
package import WeirStates

package enum HostVitalsState: OperationState {
    case none
    /// The measured values; nil if the system does not provide them.
    case measured(
        at: String, cpu: CPUVitals?, memory: MemoryVitals?, load: LoadVitals?, disk: DiskVitals?,
        network: NetworkVitals?)
    /// The system provides no values.
    case error(message: String)
    /// The last viewer left.
    case stopped

    package static var initial: Self { .none }
    package static func failed(_ error: any Error) -> Self { .error(message: error.explanation) }
    package static func cancelled(from last: Self) -> Self { .stopped }

    package var phase: Phase {
        switch self {
        case .none: .idle
        case .measured: .active
        case .error: .failed
        case .stopped: .cancelled
        }
    }

    package static var samples: [Self] {
        let wave = (0..<60).map { 35 + ($0 * 7) % 40 }
        return [
            .none,
            .measured(
                at: "2026-11-20T12:03:04.000Z",
                cpu: CPUVitals(busyPercent: 41.5, perCorePercent: [38, 45], history: wave),
                memory: MemoryVitals(usedBytes: 6_442_450_944, totalBytes: 17_179_869_184, history: wave),
                load: LoadVitals(one: 0.52, five: 0.58, fifteen: 0.59, history: wave),
                disk: DiskVitals(usedBytes: 537_888_000_000, freeBytes: 412_316_860_416, totalBytes: 1_000_204_886_016),
                network: NetworkVitals(
                    receivedPerSecond: 125_000, sentPerSecond: 8_400, receivedHistory: wave, sentHistory: wave)),
            .measured(
                at: "2026-11-20T12:03:05.000Z", cpu: nil, memory: nil,
                load: LoadVitals(one: 0, five: 0, fifteen: 0, history: [0]), disk: nil, network: nil),
            failed(HostUnreadable()), .stopped,
        ]
    }
}

/// The processor load since the last measurement.
package struct CPUVitals: Codable, Hashable, Sendable {
    /// The load of all processors together, in percent, rounded to a tenth.
    let busyPercent: Double
    let cores: Int
    /// The load of each of the first 64 processors, in percent.
    let perCorePercent: [Int]
    /// The total load in percent, one value per second, newest last.
    let history: [Int]

    init(busyPercent: Double, perCorePercent: [Int], history: [Int]) {
        self.busyPercent = (busyPercent * 10).rounded() / 10
        self.cores = perCorePercent.count
        self.perCorePercent = Array(perCorePercent.prefix(64))
        self.history = history
    }
}

/// The memory in use, excluding reclaimable caches.
package struct MemoryVitals: Codable, Hashable, Sendable {
    let usedBytes: Int64
    let totalBytes: Int64
    let usedPercent: Int
    /// The used part in percent, one value per second, newest last.
    let history: [Int]

    init(usedBytes: Int64, totalBytes: Int64, history: [Int]) {
        self.usedBytes = usedBytes
        self.totalBytes = totalBytes
        usedPercent = percent(usedBytes, of: totalBytes)
        self.history = history
    }
}

/// The ratio in whole percent, clamped to 0...100; 0 if `whole` is not positive.
func percent(_ part: Int64, of whole: Int64) -> Int {
    guard whole > 0 else { return 0 }
    return Int(clamping: Int64(clamping: (Double(min(max(part, 0), whole)) / Double(whole) * 100).rounded()))
}

/// The average number of runnable tasks.
package struct LoadVitals: Codable, Hashable, Sendable {
    let one: Double
    let five: Double
    let fifteen: Double
    /// The one-minute average in hundredths, one value per second, newest last.
    let history: [Int]

    init(one: Double, five: Double, fifteen: Double, history: [Int]) {
        self.one = (one * 100).rounded() / 100
        self.five = (five * 100).rounded() / 100
        self.fifteen = (fifteen * 100).rounded() / 100
        self.history = history
    }
}

/// The usage of the volume that holds the data folder.
package struct DiskVitals: Codable, Hashable, Sendable {
    let usedBytes: Int64
    /// Bytes available to this process.
    let freeBytes: Int64
    let totalBytes: Int64
    /// The used part of used and free bytes in percent, as computed by `df`.
    let usedPercent: Int

    init(usedBytes: Int64, freeBytes: Int64, totalBytes: Int64) {
        self.usedBytes = usedBytes
        self.freeBytes = freeBytes
        self.totalBytes = totalBytes
        usedPercent = percent(usedBytes, of: Int64(clamping: UInt64(clamping: usedBytes) + UInt64(clamping: freeBytes)))
    }
}

/// The network traffic since the last measurement, without internal interfaces.
package struct NetworkVitals: Codable, Hashable, Sendable {
    let receivedPerSecond: Int64
    let sentPerSecond: Int64
    /// Received kB/s, one value per second, newest last.
    let receivedHistory: [Int]
    /// Sent kB/s, one value per second, newest last.
    let sentHistory: [Int]
}
