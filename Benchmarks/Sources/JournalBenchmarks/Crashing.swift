import Foundation
import WeirJournals

/// Appends until it is killed, having said of each batch that it is recorded; and holds the journal to what was said.
enum Crashing {
    static func hammer(path: String) async throws {
        let journal = try await SQLiteJournal.open(at: path, now: Timestamp(milliseconds: 0))
        let head = try await journal.head()
        var revision = try await journal.lastChange(of: .store("hammer"), through: .max)?.revision ?? -1
        var workload = Workload(runs: .max)
        var size = Int(head.rawValue % 13) + 1
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

    static func verify(path: String, through said: SequenceNumber) async throws {
        let journal = try await SQLiteJournal.open(at: path, now: Timestamp(milliseconds: 0))
        var expected = SequenceNumber.zero
        while true {
            let changes = try await journal.changes(of: .board, after: expected, through: nil, limit: 1_000)
            for change in changes {
                expected = expected.next
                guard change.sequence == expected, change.revision == expected.previous.rawValue else {
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
