import Foundation
import Testing
@testable import WeirJournals

extension TemporaryFolder {
    /// Where ``kill(_:_:)`` leaves the files.
    var killed: TemporaryFolder { TemporaryFolder(url: url.appendingPathComponent("killed")) }

    /// Opens a journal, does something with it, and leaves its files as they are when the process is killed then.
    ///
    /// They are copied, and the copies given what only the originals have: their number in the file system.
    /// - Returns: The journal's epoch, and what `body` returned.
    func kill<Result>(
        _ configuration: SQLiteJournal.Configuration = .init(),
        _ body: (SQLiteJournal, _ killed: TemporaryFolder) async throws -> Result
    ) async throws -> (epoch: String, Result) {
        try FileManager.default.createDirectory(at: killed.url, withIntermediateDirectories: true)
        let journal = try await SQLiteJournal.open(
            at: file("journal.sqlite"), configuration: configuration, now: .test(0))
        let result = try await body(journal, killed)
        for suffix in ["", "-wal", "-mark", "-lock"] {
            try FileManager.default.copyItem(
                atPath: file("journal.sqlite" + suffix), toPath: killed.file("journal.sqlite" + suffix))
        }
        await journal.close()
        let path = killed.file("journal.sqlite")
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path + "-mark")))
        var mark = try #require(JournalMark(bytes))
        mark.file = try #require(OpenFile.status(of: path)).number
        try Data(mark.bytes).write(to: URL(filePath: path + "-mark"))
        return (journal.epoch, result)
    }

    /// Leaves the closed journal of three changes, of which the second cannot be read.
    func unreadableJournal() async throws -> (path: String, epoch: String) {
        let path = file("journal.sqlite")
        let journal = try await SQLiteJournal.open(at: path, now: .test(0))
        _ = try await journal.append([.opening("a"), .step("a", 1), .opening("b")])
        await journal.close()
        try ForeignConnection(path: path).execute("UPDATE changes SET phase = 99 WHERE sequence = 2")
        return (path, journal.epoch)
    }
}
