import Foundation

/// How many seconds the body takes.
func timed(_ body: () async throws -> Void) async throws -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    try await body()
    return (clock.now - start) / .seconds(1)
}

/// How much of the processors' time the body takes, in seconds: what is left to compare on a machine that others use.
func worked(_ body: () async throws -> Void) async throws -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    try await body()
    return now() - start
}

/// The middle, the 99th hundredth and the worst of some milliseconds.
func summary(_ times: [Double]) -> String {
    let sorted = times.sorted()
    func at(_ part: Double) -> String {
        sorted.isEmpty ? "–" : String(format: "%.3f", sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))])
    }
    return "p50 \(at(0.5)) ms, p99 \(at(0.99)) ms, worst \(at(1)) ms"
}

func percent(_ ratio: Double) -> String { String(format: "%.0f %%", ratio * 100) }

/// Memory the process holds, in megabytes, where the system tells.
func residentMegabytes() -> Int {
    guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return 0 }
    let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("VmRSS") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1_024
}

/// Gives a folder to the body, and removes it.
func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let result = try await body(folder)
    try FileManager.default.removeItem(at: folder)
    return result
}
