import WeirJournals
import WeirStates

extension OperationHealth {
    /// What is counted of some runs.
    package struct Figures: Sendable, Hashable {
        /// How many succeeded.
        package let succeeded: Int
        /// How many failed.
        package let failed: Int
        /// How many were cancelled or interrupted: neither a success nor a failure.
        package let stopped: Int
        /// The median duration of those that succeeded, in milliseconds; nil if none did.
        package let p50: Int64?
        /// The duration that 95 % of those that succeeded did not exceed, in milliseconds; nil if none did.
        package let p95: Int64?

        /// Counts ended runs.
        init(of runs: [RunRecord]) {
            let durations = runs.filter { $0.state.phase == .succeeded }.map(\.duration)
            succeeded = durations.count
            failed = runs.count { $0.state.phase == .failed }
            stopped = runs.count { [.cancelled, .interrupted].contains($0.state.phase) }
            p50 = Self.percentile(50, of: durations)
            p95 = Self.percentile(95, of: durations)
        }

        /// How many runs ended.
        package var ended: Int { succeeded + failed + stopped }

        /// The part of those that succeeded among those that succeeded or failed, from 0 to 1; nil if there are none.
        package var successRate: Double? {
            succeeded + failed > 0 ? Double(succeeded) / Double(succeeded + failed) : nil
        }

        /// The least value that so many of a hundred values do not exceed (the nearest rank); nil of none.
        static func percentile(_ percent: Int, of values: [Int64]) -> Int64? {
            let rank = (values.count * percent + 99) / 100
            return values.sorted().dropFirst(max(rank - 1, 0)).first
        }
    }

    /// How long runs were in a state.
    package struct StateDuration: Sendable, Hashable {
        /// The state's case.
        package let caseName: String
        /// How many runs passed through it.
        package let runs: Int
        /// The median of the time that each of them was in it, in milliseconds.
        package let p50: Int64
        /// The time that 95 % of them did not exceed.
        package let p95: Int64

        /// Measures the states of some runs, in the order in which they were entered.
        static func all(of runs: [RunView]) -> [StateDuration] {
            var (order, durations): ([String], [String: [Int64]]) = ([], [:])
            for run in runs {
                var own: [String: Int64] = [:]
                for segment in RunComparison(run, run).steps.compactMap(\.first) {
                    guard segment.state.phase == .active, let duration = segment.duration else { continue }
                    if !order.contains(segment.state.caseName) { order.append(segment.state.caseName) }
                    let (sum, isOver) = own[segment.state.caseName, default: 0].addingReportingOverflow(duration)
                    own[segment.state.caseName] = isOver ? .max : sum
                }
                for (name, duration) in own { durations[name, default: []].append(duration) }
            }
            return order.compactMap { name in
                let values = durations[name] ?? []
                guard let p50 = Figures.percentile(50, of: values), let p95 = Figures.percentile(95, of: values) else {
                    return nil
                }
                return StateDuration(caseName: name, runs: values.count, p50: p50, p95: p95)
            }
        }
    }
}
