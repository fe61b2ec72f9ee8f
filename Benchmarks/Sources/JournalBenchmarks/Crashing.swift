import Foundation
import Journals
import JournalsSQLite

/// Appends until it is killed, having said of each batch that it is recorded; and holds the journal to what was said.
enum Crashing {
    static func hammer(path: String) async throws {
        let journal = try await SQLiteJournal.open(at: path, now: Timestamp(milliseconds: 0))
        let head = try await journal.head()
        var revision = try await journal.lastChange(of: .store("hammer"), through: .max)?.revision ?? -1
        var workload = Workload(runs: .max)
        var size = Int(head % 13) + 1
        while true {
            let drafts = workload.batch(size).map { draft in
                revision += 1
                return ChangeDraft(
                    stream: .store("hammer"), subject: "hammer", revision: revision, at: draft.at, state: draft.state,
                    isTransition: true, step: StoreStep(.reset))
            }
            let last = try await journal.append(drafts).last?.sequence ?? 0
            FileHandle.standardOutput.write(Data("\(journal.epoch) \(last)\n".utf8))
            size = size % 17 + 1
        }
    }

    static func verify(path: String, through said: Int64) async throws {
        let journal = try await SQLiteJournal.open(at: path, now: Timestamp(milliseconds: 0))
        var expected: Int64 = 0
        while true {
            let changes = try await journal.changes(of: .board, after: expected, through: nil, limit: 1_000)
            for change in changes {
                expected += 1
                guard change.sequence == expected, change.revision == expected - 1 else {
                    print("change \(change.sequence) stands where \(expected) should")
                    exit(1)
                }
            }
            if changes.isEmpty { break }
        }
        let head = try await journal.head()
        guard expected >= said, head == expected, journal.notices.isEmpty else {
            print("\(said) was said to be recorded; \(expected) are there, the head is \(head)")
            exit(1)
        }
        print("\(journal.epoch) \(expected)")
        await journal.close()
    }
}
