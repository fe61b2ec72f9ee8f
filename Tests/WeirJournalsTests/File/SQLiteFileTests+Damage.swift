import Foundation
import Testing
import WeirJournals
import WeirStates

/// Files that are damaged, or that no version of ours has written.
extension SQLiteFileTests {
    // K7
    @Test func `a damaged file is set aside, never overwritten, and a new history begins`() async throws {
        try await TemporaryFolder.with { folder in
            var epoch = ""
            try await withJournal(folder) { journal in
                epoch = journal.epoch
                _ = try await journal.append([.opening("a")])
            }
            let path = folder.file("journal.sqlite")
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            bytes.replaceSubrange(0..<16, with: Data("not a database!!".utf8))
            try bytes.write(to: URL(fileURLWithPath: path))
            try Data("left over".utf8).write(to: URL(fileURLWithPath: path + "-wal"))

            try await withJournal(folder, now: 1_234) { journal in
                let head = try await journal.head()
                #expect(head == 0)
                #expect(journal.epoch != epoch)
                let aside = "journal.sqlite.damaged-20261121T000001234Z"
                #expect(journal.notices == [JournalNotice(.damaged, at: .test(1_234), file: aside)])
                #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file(aside))) == bytes)
                #expect(try folder.names.contains(aside + "-wal"))
                _ = try await journal.append([.opening("b")])
            }
            try await withJournal(folder, now: 5_678) { #expect($0.notices.map(\.at) == [.test(1_234)]) }
        }
    }

    // K7
    @Test func `damage met while running is told, and the next opening looks at the whole file`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            try await withJournal(folder) { journal in
                _ = try await journal.append([.opening("a")])
                for revision in Int64(1)...300 {
                    _ = try await journal.append([
                        .step("a", revision, payload: ["text": .string(String(repeating: "y", count: 900))])
                    ])
                }
            }
            // The middle of the file: pages of the table of changes, which opening does not read.
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            let size = try handle.seekToEnd()
            try handle.seek(toOffset: size / 2 / 4_096 * 4_096)
            try handle.write(contentsOf: Data(repeating: 0xA5, count: 8 * 4_096))
            try handle.close()
            try await withJournal(folder) { journal in
                let refusal = try await code {
                    try await journal.changes(of: .run("a"), after: 0, through: nil, limit: 1_000)
                }
                #expect(refusal == .corrupt)
            }
            for now in Int64(1)...2 {
                try await withJournal(folder, now: now) { #expect($0.notices.map(\.at) == [.test(1)]) }
            }
        }
    }

    @Test func `a newer format and a foreign database are refused in words and left as they are`() async throws {
        try await TemporaryFolder.with { folder in
            try await withJournal(folder) { _ = try await $0.append([.opening("a")]) }
            let other = try ForeignConnection(path: folder.file("journal.sqlite"))
            let version = try other.number("PRAGMA user_version")
            try other.execute("PRAGMA user_version = 1000")
            #expect(try await code { try await withJournal(folder) { _ in } } == .tooNew)
            try other.execute("PRAGMA user_version = \(version); PRAGMA application_id = 7")
            #expect(try await code { try await withJournal(folder) { _ in } } == .unavailable)
            try other.execute("PRAGMA application_id = 0x57454952")
            try await withJournal(folder) { journal in
                let head = try await journal.head()
                #expect(head == 1)
            }
            #expect(try folder.names.allSatisfy { !$0.contains("damaged") })
        }
    }

    @Test(arguments: [
        "UPDATE journal SET head = 9223372036854775807", "UPDATE journal SET head = -1",
        "UPDATE runs SET revision = 9223372036854775807", "UPDATE runs SET sequence = 9223372036854775807",
        "UPDATE runs SET lines = 9223372036854775807",
    ])
    func `a number in the file that no place can have is damage, and nothing worse`(damage: String) async throws {
        try await TemporaryFolder.with { folder in
            try await withJournal(folder) { journal in
                _ = try await journal.append([.opening("a"), .step("a", 1)])
            }
            try ForeignConnection(path: folder.file("journal.sqlite")).execute(damage)
            try await withJournal(folder) { journal in
                if damage.contains("head") {
                    let kinds = journal.notices.map(\.kind)
                    return #expect(kinds == [.damaged])
                }
                let error = await #expect(throws: JournalError.self) {
                    _ = try await journal.head()
                    _ = try await journal.append([.step("a", 2)])
                    _ = try await journal.appendOutput(
                        run: "a", lines: [OutputDraft(at: .test(0), text: "x")], after: nil)
                }
                #expect(error?.code == .corrupt)
            }
        }
    }
}
