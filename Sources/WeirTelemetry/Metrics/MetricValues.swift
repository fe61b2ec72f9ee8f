import CoreMetrics
import Synchronization

/// A series' value, written by any thread and read by scrapes without a lock.
protocol MetricValue: AnyObject, Sendable {
    /// The value of an observed gauge; nil for other kinds, and for one without a value.
    var current: Double? { get }
    /// Appends the lines of the series; `labels` are the rendered labels without braces.
    func write(_ name: String, _ labels: String, to text: inout String)
}

extension MetricValue {
    var current: Double? { nil }

    func line(_ name: String, _ labels: String, _ value: String, to text: inout String) {
        text += name
        if !labels.isEmpty {
            text += "{"
            text += labels
            text += "}"
        }
        text += " "
        text += value
        text += "\n"
    }
}

final class CounterValue: MetricValue, CounterHandler {
    private let value = Atomic<Int64>(0)

    func increment(by amount: Int64) { value.wrappingAdd(max(amount, 0), ordering: .relaxed) }

    func reset() { value.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        line(name, labels, String(value.load(ordering: .relaxed)), to: &text)
    }
}

final class GaugeValue: MetricValue, MeterHandler {
    private let bits = Atomic<UInt64>(0)

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func increment(by amount: Double) {
        var current = bits.load(ordering: .relaxed)
        while true {
            let next = (Double(bitPattern: current) + amount).bitPattern
            let (exchanged, original) = bits.weakCompareExchange(
                expected: current, desired: next, ordering: .relaxed)
            if exchanged { return }
            current = original
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        line(name, labels, MetricNumber.text(Double(bitPattern: bits.load(ordering: .relaxed))), to: &text)
    }
}

/// A value that is read at each scrape.
final class ObservedValue: MetricValue {
    var current: Double? { read() }

    private let read: @Sendable () -> Double?

    init(_ read: @escaping @Sendable () -> Double?) { self.read = read }

    func write(_ name: String, _ labels: String, to text: inout String) {
        guard let value = read() else { return }
        line(name, labels, MetricNumber.text(value), to: &text)
    }
}

final class HistogramValue: MetricValue, TimerHandler {
    /// The upper bounds in nanoseconds, ascending.
    private let bounds: [Int64]
    private let labels: [String]
    /// One counter per bound, and one for longer durations.
    private let counts: [BucketCount]
    /// The sum in microseconds, which does not overflow within 290,000 years of durations.
    private let sum = Atomic<Int64>(0)

    init(_ bounds: [Double]) {
        self.bounds = bounds.map { Int64(clamping: Int($0 * 1_000_000_000)) }
        labels = bounds.map { "le=\"\(MetricNumber.bound($0))\"" } + ["le=\"+Inf\""]
        counts = labels.map { _ in BucketCount() }
    }

    func recordNanoseconds(_ duration: Int64) {
        let duration = max(duration, 0)
        let index = bounds.firstIndex { duration <= $0 } ?? bounds.endIndex
        counts.dropFirst(index).first?.value.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(duration / 1_000 + (duration % 1_000 >= 500 ? 1 : 0), ordering: .relaxed)
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        var total: Int64 = 0
        let prefix = labels.isEmpty ? "" : labels + ","
        let bucket = name + "_bucket"
        for (label, count) in zip(self.labels, counts) {
            total = total.addingReportingOverflow(count.value.load(ordering: .relaxed)).partialValue
            line(bucket, prefix + label, String(total), to: &text)
        }
        line(name + "_sum", labels, MetricNumber.text(Double(sum.load(ordering: .relaxed)) / 1_000_000), to: &text)
        // Not a counter of its own, so that it always equals the last bucket.
        line(name + "_count", labels, String(total), to: &text)
    }

    private final class BucketCount: Sendable {
        let value = Atomic<Int64>(0)
    }
}

enum MetricNumber {
    /// A value, as an integer if it is one.
    static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return "\(value)"
    }

    /// The bound of a bucket in the canonical form of OpenMetrics, `1.0`, in both formats, so that a change of the
    /// format does not change the series.
    static func bound(_ value: Double) -> String { "\(value)" }
}
