import WeirStates

/// Converts readings to states: rates from counters, and the recent values of each series; pure.
struct VitalsHistory: Sendable {
    private let length: Int
    private var previous: HostReading?
    private var cpu: [Int] = []
    private var memory: [Int] = []
    private var load: [Int] = []
    private var received: [Int] = []
    private var sent: [Int] = []

    /// Creates a history with a maximum number of values per series.
    init(length: Int) { self.length = max(1, length) }

    /// Adds a reading, a number of milliseconds after the previous one, and returns the new state.
    mutating func take(_ reading: HostReading, after milliseconds: Int64, at moment: String) -> HostVitalsState {
        defer { previous = reading }
        return .measured(
            at: moment, cpu: cpuVitals(reading), memory: memoryVitals(reading), load: loadVitals(reading),
            disk: reading.disk.map { DiskVitals(usedBytes: $0.used, freeBytes: $0.free, totalBytes: $0.total) },
            network: networkVitals(reading, milliseconds: milliseconds))
    }

    private mutating func cpuVitals(_ reading: HostReading) -> CPUVitals? {
        guard let now = reading.processors, let before = previous?.processors, now.count == before.count else {
            return nil
        }
        // A counter that decreased, such as idle time on some kernels, counts as unchanged.
        let steps = zip(now, before).map { now, before in
            (busy: Self.step(before.busy, now.busy), total: Self.step(before.total, now.total))
        }
        let perCore = steps.map { percent(Int64(clamping: $0.busy), of: Int64(clamping: $0.total)) }
        let total = steps.reduce(0) { $0 + Double($1.total) }
        guard total > 0 else { return nil }
        let busy = min(100, steps.reduce(0) { $0 + Double($1.busy) } / total * 100)
        keep(Int(clamping: Int64(clamping: busy.rounded())), in: \.cpu)
        return CPUVitals(busyPercent: busy, perCorePercent: perCore, history: cpu)
    }

    private mutating func memoryVitals(_ reading: HostReading) -> MemoryVitals? {
        guard let level = reading.memory else { return nil }
        keep(percent(level.used, of: level.total), in: \.memory)
        return MemoryVitals(usedBytes: level.used, totalBytes: level.total, history: memory)
    }

    private mutating func loadVitals(_ reading: HostReading) -> LoadVitals? {
        guard let averages = reading.load, averages.count == 3, averages.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
            return nil
        }
        keep(Int(clamping: Int64(clamping: (min(averages[0], 1e6) * 100).rounded())), in: \.load)
        return LoadVitals(one: averages[0], five: averages[1], fifteen: averages[2], history: load)
    }

    private mutating func networkVitals(_ reading: HostReading, milliseconds: Int64) -> NetworkVitals? {
        guard let now = reading.traffic, let before = previous?.traffic, milliseconds > 0 else { return nil }
        let incoming = Self.rate(before.received, now.received, milliseconds)
        let outgoing = Self.rate(before.sent, now.sent, milliseconds)
        keep(Int(clamping: incoming / 1_000), in: \.received)
        keep(Int(clamping: outgoing / 1_000), in: \.sent)
        return NetworkVitals(
            receivedPerSecond: incoming, sentPerSecond: outgoing, receivedHistory: received, sentHistory: sent)
    }

    private mutating func keep(_ value: Int, in series: WritableKeyPath<Self, [Int]>) {
        self[keyPath: series].append(value)
        if self[keyPath: series].count > length { self[keyPath: series].removeFirst() }
    }

    private static func step(_ before: UInt64, _ now: UInt64) -> UInt64 { now > before ? now - before : 0 }

    private static func rate(_ before: UInt64, _ now: UInt64, _ milliseconds: Int64) -> Int64 {
        Int64(clamping: min(Double(step(before, now)) / Double(milliseconds) * 1_000, 1e15))
    }
}
