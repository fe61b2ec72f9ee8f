import Foundation
import WeirJournals

/// Removes most of a large journal while changes are appended.
enum Pruning {
    static func run(path: String) async throws {
        let journal = try await SQLiteJournal.open(at: path, now: Timestamp(milliseconds: 0))
        let done = Done()
        let writer = Task {
            var workload = Workload(runs: .max)
            var times: [Double] = []
            var revisions: Int64 = 0
            while await !done.isDone {
                let draft = workload.batch(1)[0]
                let store = ChangeDraft(
                    stream: .store("bench"), subject: "bench", revision: revisions, at: draft.at, state: draft.state,
                    isTransition: true)
                times.append(try await timed { _ = try await journal.append([store]) } * 1_000)
                revisions += 1
            }
            return times
        }
        var removed = 0
        let seconds = try await timed {
            removed = try await journal.prune(
                RetentionPolicy(maximumAge: nil, maximumRunsPerOperation: 1_000),
                now: Timestamp(milliseconds: 1_800_000_000_000))
        }
        await done.set()
        print("\(removed) runs removed in \(String(format: "%.1f", seconds)) s")
        print("appends meanwhile: \(summary(try await writer.value))")
        await journal.close()
    }

    private actor Done {
        private(set) var isDone = false
        func set() { isDone = true }
    }
}
