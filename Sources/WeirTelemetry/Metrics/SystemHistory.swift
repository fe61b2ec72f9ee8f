import WeirFlows

/// Samples of the server's resources and work, one a minute for a day, in bounded memory.
package final class SystemHistory: Sendable {
    package enum Reading: String, Sendable, CaseIterable {
        case memory, cpu, threads, files, disk, journal, activeRuns, queued, oldestQueued, heldPolls, messages
    }

    static let day: Int64 = 86_400_000
    private static let minute: Int64 = 60_000
    private static let length = 1_440
    /// The samples from which on a trend is stated: an hour of them.
    private static let trend = 60

    private struct State {
        /// The minute of each sample since 1970; 0 for none.
        // Never traps: the length is a constant.
        var minutes = [Int64](repeating: 0, count: length)
        var values = Reading.allCases.reduce(into: [Reading: [Float]]()) { values, reading in
            // Never traps: the length is a constant.
            values[reading] = [Float](repeating: .nan, count: length)
        }
    }

    private let state = Locked(State())

    package init() {}

    /// Adds the sample of a minute, at a time in milliseconds since 1970; a second one of the same minute replaces the first.
    package func add(_ sample: [Reading: Double], at time: Int64) {
        let minute = time / Self.minute
        let slot = Self.slot(minute)
        state.withLock { state in
            state.minutes[slot] = minute
            for reading in Reading.allCases {
                state.values[reading]?[slot] = sample[reading].map { Float($0) } ?? .nan
            }
        }
    }

    /// The newest value of a reading, or nil if the newest sample lacks it or is older than two minutes.
    package func latest(_ reading: Reading, now: Int64) -> Double? {
        let minute = now / Self.minute
        return state.withLock { state in
            Self.value(reading, at: minute, in: state) ?? Self.value(reading, at: minute - 1, in: state)
        }
    }

    /// The means of equal parts of the last day, the oldest first; nil for a part without a sample.
    package func parts(_ reading: Reading, count: Int, now: Int64) -> [Double?] {
        let last = now / Self.minute
        let width = Int64(max(1, Self.length / max(1, count)))
        return state.withLock { state in
            (0..<Int64(max(0, count))).map { part in
                let begin = last - Int64(Self.length) + 1 + part * width
                let values = (begin..<begin + width).compactMap { Self.value(reading, at: $0, in: state) }
                return values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
            }
        }
    }

    /// When a falling reading reaches zero if it goes on as in the last day, in milliseconds since 1970; nil without an hour of
    /// samples, if it does not fall, or later than in a year.
    package func end(of reading: Reading, now: Int64) -> Int64? {
        let last = now / Self.minute
        let points = state.withLock { state in
            (0..<Int64(Self.length)).compactMap { age in
                Self.value(reading, at: last - age, in: state).map { (x: -Double(age), y: $0) }
            }
        }
        guard points.count >= Self.trend else { return nil }
        let count = Double(points.count)
        let (x, y) = (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
        let spread = points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
        guard spread > 0 else { return nil }
        let slope = points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) } / spread
        guard slope < 0, let rest = points.first?.y else { return nil }
        let minutes = rest / -slope
        guard minutes <= 365 * 1_440 else { return nil }
        return now + Int64(minutes) * Self.minute
    }

    private static func slot(_ minute: Int64) -> Int { Int(((minute % Int64(length)) + Int64(length)) % Int64(length)) }

    private static func value(_ reading: Reading, at minute: Int64, in state: State) -> Double? {
        let slot = slot(minute)
        guard state.minutes[slot] == minute, let value = state.values[reading]?[slot], !value.isNaN else { return nil }
        return Double(value)
    }
}
