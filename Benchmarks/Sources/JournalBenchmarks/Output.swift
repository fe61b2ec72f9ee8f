import Foundation
import WeirJournals
import WeirStates

/// A run that writes a million lines.
enum Output {
    static func run() async throws {
        try await withFolder { folder in
            let path = folder.appendingPathComponent("journal.sqlite").path
            let journal = try await SQLiteJournal.open(at: path, now: Timestamp(milliseconds: 0))
            var workload = Workload(runs: 1)
            _ = try await journal.append(workload.batch(1))
            let id = Workload.id(0)
            let before = residentMegabytes()
            let seconds = try await timed {
                for batch in 0..<1_000 {
                    let lines = (0..<1_000).map { number in
                        OutputDraft(
                            at: Timestamp(milliseconds: Int64(batch)),
                            text: "line \(batch * 1_000 + number): compiling something that takes a while")
                    }
                    _ = try await journal.appendOutput(run: id, lines: lines)
                }
            }
            print("1,000,000 lines: \(Int(1_000_000 / seconds)) lines/s, from \(before) to \(residentMegabytes()) MB")
            var times: [Double] = []
            for round in 0..<200 {
                let after = SequenceNumber(clamping: round * 4_997)
                times.append(
                    try await timed { _ = try await journal.output(of: id, after: after, limit: 500) } * 1_000)
            }
            print("500 lines anywhere: \(summary(times))")
            let ending = workload.batch(100)
            print("its end: \(summary([try await timed { _ = try await journal.append(ending) } * 1_000]))")
            let search = try await timed { _ = try await journal.runs(RunQuery(text: "999999")) }
            print("finding its last line: \(summary([search * 1_000]))")
            let policy = RetentionPolicy(maximumAge: 0, maximumRunsPerOperation: nil)
            let removal = try await timed {
                _ = try await journal.prune(policy, now: Timestamp(milliseconds: .max / 2))
            }
            print("removing it: \(summary([removal * 1_000])), \(residentMegabytes()) MB")
            await journal.close()
        }
    }
}
