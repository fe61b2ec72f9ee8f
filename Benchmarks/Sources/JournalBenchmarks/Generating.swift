import Foundation
import WeirJournals

/// Fills a journal, and tells how fast, and with how much memory, as it grows.
enum Generating {
    static func run(path: String, runs: Int) async throws {
        let journal = try await SQLiteJournal.open(at: path, now: Timestamp(milliseconds: 0))
        var workload = Workload(runs: runs)
        var count = 0
        var times: [Double] = []
        while true {
            let batch = workload.batch(1_000)
            guard !batch.isEmpty else { break }
            times.append(try await timed { _ = try await journal.append(batch) } * 1_000)
            count += batch.count
            guard times.count == 1_000 else { continue }
            let rate = Int(1_000_000 / (times.reduce(0, +) / 1_000))
            print("\(count) changes: \(rate)/s, batches \(summary(times)), \(residentMegabytes()) MB")
            times = []
        }
        await journal.close()
    }
}
