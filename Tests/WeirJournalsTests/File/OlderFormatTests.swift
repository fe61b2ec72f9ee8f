import Foundation
import Testing
import TestSupport
import WeirStates
@testable import WeirJournals

/// Files that versions before this one wrote: made as those made them, one migration after the other.
@Suite(.timeLimit(.minutes(15))) struct OlderFormatTests {
    /// A file of a format, with one run that has succeeded.
    private func make(_ format: Int, at path: String) throws {
        let connection = try ForeignConnection(path: path)
        try connection.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
        for migration in JournalSchema.migrations.prefix(format) { try connection.execute(migration) }
        let (began, ended) = (Timestamp.test(0).milliseconds, Timestamp.test(5).milliseconds)
        try connection.execute(
            """
            PRAGMA application_id = \(JournalSchema.applicationID);
            PRAGMA user_version = \(format);
            INSERT INTO journal (only, epoch, created, head) VALUES (1, '0123456789abc', \(began), 2);
            INSERT INTO names (id, name) VALUES (1, 'upload'), (2, 'anna');
            INSERT INTO runs (opened, id, operation, actor, input, phase, revision, sequence, started, ended, ages_from)
                VALUES (1, 'a', 1, 2, '{"file":"photo.jpg"}', 2, 1, 2, \(began), \(ended), \(ended));
            INSERT INTO changes (sequence, stream, revision, operation, at, "case", phase, transition, payload)
                VALUES (1, 1, 0, 1, \(began), 'receiving', 1, 1, '{}'), (2, 1, 1, 1, \(ended), 'succeeded', 2, 1, '{}');
            INSERT INTO counts (operation, phase, count) VALUES (1, 2, 1);
            INSERT INTO blocks (block, earliest, latest) VALUES (0, \(began), \(began));
            """)
    }

    // K3
    @Test(arguments: 1...JournalSchema.version)
    func `a file of any format before is brought to the newest, and goes on`(format: Int) async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            try make(format, at: path)
            let journal = try await SQLiteJournal.open(at: path, now: .test(9))
            // Newer files have a mark beside them, and one that lies alone may be an older copy of its history.
            #expect(journal.notices.isEmpty == (format < JournalSchema.firstMarked))
            #expect((journal.epoch == "0123456789abc") == (format < JournalSchema.firstMarked))
            let changes = try await journal.append([.store("login", 0), .opening("b", at: 10)])
            #expect(changes.map(\.sequence) == [3, 4])
            #expect(try await journal.tail(9).map(\.draft.step) == [nil, nil, StoreStep(.reset), nil])
            #expect(try await journal.runs(RunQuery()).runs.map(\.id) == ["b", "a"])
            #expect(try await journal.run("a")?.endedAt == .test(5))
            #expect(try await journal.runs(RunQuery(text: "photo")).runs.map(\.id) == ["b", "a"])
            await journal.close()
        }
    }

    // K13
    @Test func `the floors of a file of an earlier format are those of retention, and its gaps need no explanation`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            try make(9, at: path)
            try ForeignConnection(path: path).execute(
                "UPDATE journal SET head = 7; INSERT INTO floors (operation, sequence) VALUES (0, 1), (1, 1)")
            let journal = try await SQLiteJournal.open(at: path, now: .test(9))
            #expect(try await journal.floor(of: .board) == 1)
            #expect(try await journal.pruned(of: .operation("upload")) == 1)
            guard case .deleted(let deletions) = try await journal.delete("a", by: "anna", at: .test(10)) else {
                Issue.record("not deleted")
                return
            }
            #expect(deletions.map(\.sequence) == [8])
            await journal.close()
            #expect(try JournalInspection.check(path: path).faults.isEmpty)
        }
    }

    @Test func `the attempts of retried runs are counted in a file of an earlier format`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            try make(5, at: path)
            try ForeignConnection(path: path).execute(
                """
                INSERT INTO runs (opened, id, operation, actor, input, retry_of, phase, revision, sequence, started)
                    VALUES (3, 'b', 1, 2, '{}', 'a', 2, 0, 3, 0), (4, 'c', 1, 2, '{}', 'b', 2, 0, 4, 0),
                        (5, 'd', 1, 2, '{}', 'gone', 2, 0, 5, 0), (6, 'e', 1, 2, '{}', 'e', 2, 0, 6, 0);
                """)
            let journal = try await SQLiteJournal.open(at: path, now: .test(9))
            await journal.close()
            let attempts = try ["a", "b", "c", "d", "e"].map {
                try ForeignConnection(path: path).number("SELECT attempt FROM runs WHERE id = '\($0)'")
            }
            // The last names itself, which no server records.
            #expect(attempts == [1, 2, 3, 2, 101])
        }
    }

    // K3
    @Test func `a copy from before a migration opens with the version before, and is named when that refuses the file`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let format = JournalSchema.version - 1
            try make(format, at: path)
            let journal = try await SQLiteJournal.open(at: path, now: .test(9))
            _ = try await journal.append([.opening("b", at: 10)])
            await journal.close()
            let copy = try ForeignConnection(path: path + "-format-\(format)")
            #expect(try copy.number("PRAGMA user_version") == Int64(format))
            #expect(try copy.number("SELECT count(*) FROM runs") == 1)
            #expect(try copy.number("SELECT head FROM journal") == 2)
            try ForeignConnection(path: path).execute("PRAGMA user_version = 1000")
            let refusal = await #expect(throws: JournalError.self) {
                try await SQLiteJournal.open(at: path, now: .test(11))
            }
            #expect(refusal?.code == .tooNew)
            #expect(refusal?.description.contains("journal.sqlite-format-\(format)") == true)
        }
    }

    // K3
    @Test func `a file that cannot be copied is not migrated`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            try make(1, at: path)
            // A folder that is not empty can neither be removed nor replaced by a file.
            let place = folder.file("journal.sqlite-format-1")
            try FileManager.default.createDirectory(atPath: place + "/kept", withIntermediateDirectories: true)
            let refusal = await #expect(throws: JournalError.self) {
                try await SQLiteJournal.open(at: path, now: .test(9))
            }
            #expect(refusal?.code == .full)
            #expect(refusal?.description.contains(place) == true)
            #expect(try ForeignConnection(path: path).number("PRAGMA user_version") == 1)
        }
    }
}
