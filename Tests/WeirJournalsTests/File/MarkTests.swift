import Foundation
import GRDB
import Testing
@testable import WeirJournals

@Suite(.timeLimit(.minutes(15))) struct MarkTests {
    private func mark(
        epoch: String = "0123456789abc", file: UInt64 = 7, isClosed: Bool = false, outlivesMachine: Bool = false,
        boot: String = "b", reserved: SequenceNumber = 100, head: SequenceNumber = 42, writes: Int64 = 50,
        filed: Int64 = 40
    ) -> JournalMark {
        JournalMark(
            epoch: epoch, file: file, isClosed: isClosed, outlivesMachine: outlivesMachine, boot: boot,
            reserved: reserved, head: head, writes: writes, filed: filed)
    }

    private func outcome(
        _ mark: JournalMark?, epoch: String = "0123456789abc", head: SequenceNumber = 42, file: UInt64 = 7,
        isMarked: Bool = true, boot: String = "b", writes: Int64 = 50, filed: Int64? = 40, isAltered: Bool = false,
        isAsWritten: Bool = true
    ) -> HistoryCheck.Outcome {
        HistoryCheck(
            held: .init(epoch: epoch, head: head, writes: writes, filed: filed, file: file, isMarked: isMarked),
            mark: mark, boot: boot, isAltered: isAltered, isAsWritten: isAsWritten
        ).outcome
    }

    private func isCopy(
        _ mark: JournalMark?, head: SequenceNumber = 42, file: UInt64 = 7, boot: String = "b", filed: Int64? = 40,
        isAltered: Bool = false, isAsWritten: Bool = true
    ) -> Bool {
        HistoryCheck(
            held: .init(
                epoch: "0123456789abc", head: head, writes: 50, filed: filed, file: file, isMarked: true), mark: mark,
            boot: boot, isAltered: isAltered, isAsWritten: isAsWritten
        ).isCopy
    }

    @Test func `a copy and an older file are told from the last one after a power cut`() {
        #expect(isCopy(nil) && isCopy(mark(), file: 8) && isCopy(mark(), isAsWritten: false))
        #expect(isCopy(mark(), filed: 39) && isCopy(mark(), head: 41))
        #expect(isCopy(mark(), head: 41, boot: "c", filed: 39))
        #expect(!isCopy(mark()) && !isCopy(mark(), boot: "c"))
        #expect(!isCopy(mark(), head: 41, boot: "c") && !isCopy(mark(), isAltered: true))
    }

    @Test func `a mark reads back from its text, and one that is not whole is none`() {
        for mark in [
            mark(), mark(file: .max, isClosed: true, outlivesMachine: true, reserved: .max, head: .max),
            mark(boot: "", head: 0),
            mark(boot: "0b0f6bb0-9bd8-4a3e-8a9d-0d8e6c1d8f4b and more of it than there may be"),
        ] {
            let bytes = mark.bytes
            #expect(bytes.count == JournalMark.length)
            #expect(JournalMark(bytes) == mark)
            #expect(Array(bytes[JournalMark.tailOffset...]) == mark.tail)
            for index in bytes.indices where index < JournalMark.tailOffset {
                var changed = bytes
                changed[index] ^= 1
                #expect(JournalMark(changed) == nil, "\(index)")
            }
            #expect(JournalMark(Array(bytes.dropLast())) == nil)
            #expect(JournalMark(bytes + [0]) == nil)
        }
        #expect(JournalMark([]) == nil)
    }

    @Test func `a mark is read where nothing can be written`() throws {
        // The system lets nobody write to a program that runs.
        let program = try #require(Bundle.main.executablePath)
        #expect(throws: POSIXError.self) { try OpenFile(path: program) }
        let found = try MarkFile.read(program)
        #expect(found.exists && found.mark == nil)
    }

    @Test func `a mark of the version before, which did not count what is written, is still one`() {
        let lines = [
            "weir journal mark 1", "epoch 0123456789abc", "file 00000000000000000007", "state open  ", "keeps process",
            "boot b" + String(repeating: " ", count: 39), "reserved 00000000000000000100", "check 61e5537101ed9277",
            "head 00000000000000000042", "",
        ]
        let text = lines.joined(separator: "\n")
        #expect(JournalMark(Array(text.utf8)) == mark(writes: 0, filed: 0))
        #expect(outcome(mark(writes: 0, filed: 0), writes: 0, filed: nil) == .whole)
    }

    @Test func `a history goes on where its file is the one that was written last and has all that was shown`() {
        #expect(outcome(mark()) == .whole)
        #expect(outcome(mark(), head: 43, writes: 51, filed: 51) == .whole)
        #expect(outcome(mark(), filed: nil) == .whole)
        #expect(outcome(mark(isClosed: true), boot: "c") == .whole)
        #expect(outcome(mark(outlivesMachine: true), boot: "c") == .whole)
        #expect(outcome(mark(reserved: 42), boot: "c") == .whole)
        // Of a time when there were no marks.
        #expect(outcome(nil, isMarked: false) == .whole)
    }

    @Test func `a history does not go on where something is gone or may be`() {
        #expect(outcome(mark(), head: 41) == .lost(42...42))
        #expect(outcome(mark(isClosed: true), head: 0) == .lost(1...42))
        #expect(outcome(mark(outlivesMachine: true), head: 41, boot: "c") == .lost(42...42))
        #expect(outcome(mark(), boot: "c") == .uncertain)
        #expect(outcome(mark(boot: ""), boot: "") == .uncertain)
        #expect(outcome(nil) == .unverified)
        #expect(outcome(mark(), epoch: "another") == .unverified)
        #expect(outcome(mark(), file: 8) == .unverified)
        #expect(outcome(mark(), head: 101) == .unverified)
        #expect(outcome(mark(isClosed: true), head: 43) == .unverified)
        #expect(outcome(mark(isClosed: true), isAsWritten: false) == .unverified)
        #expect(outcome(mark(isClosed: true), isAltered: true) == .unverified)
        // The log may be another's, and what was written besides changes has no sequence.
        #expect(outcome(mark(), filed: 39) == .unverified)
        #expect(outcome(mark(), writes: 49) == .uncertain)
        #expect(outcome(mark(outlivesMachine: true), boot: "c", writes: 49) == .uncertain)
    }

    private func isMarkedClosed(_ path: String) throws -> Bool? {
        JournalMark(Array(try Data(contentsOf: URL(fileURLWithPath: path + "-mark"))))?.isClosed
    }

    @Test func `a journal whose log a reader still needs is not marked as closed in order`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let journal = try await SQLiteJournal.open(at: path, configuration: .init(busyTimeout: 10), now: .test(0))
            _ = try await journal.append([.opening("a")])
            let reader = try ForeignConnection(path: path)
            try reader.execute("BEGIN")
            #expect(try reader.number("SELECT count(*) FROM runs") == 1)
            await journal.close()
            #expect(try isMarkedClosed(path) == false)
            try reader.execute("ROLLBACK")
            let again = try await SQLiteJournal.open(at: path, now: .test(1))
            #expect(try await again.run("a") != nil)
            await again.close()
            #expect(try isMarkedClosed(path) == true)
        }
    }

    @Test func `a journal whose log cannot be copied into its file is not marked as closed in order`() async throws {
        try await TemporaryFolder.with { folder in
            let path = folder.file("journal.sqlite")
            let file = JournalFile(path: path, configuration: .init(), boot: BootSession.id)
            let (connection, history) = try file.openForWriting(
                now: .test(0), notices: NoticeFile(path: path + "-notices", now: .test(0)),
                makeEpoch: { "0123456789abc" })
            let connections = JournalConnections(
                connection, of: file, epoch: history.epoch, lock: nil, noticeFile: nil, now: { .test(0) })
            try await connections.write { try SQLStatement($0, "UPDATE journal SET head = head").run() }
            // SQLite gives up what it does next, as it does where the disk fails.
            connection.pool.interrupt()
            await connections.close()
            #expect(try isMarkedClosed(path) == false)
        }
    }
}
