import Foundation
import Testing
@testable import WeirJournals

extension MisplacedFilesTests {
    // K11
    @Test(arguments: [Misplacement.folderRemoved, .folderMoved, .fileRemoved, .allRemoved])
    func `a read that finds the file gone is answered once it is put back`(misplacement: Misplacement) async throws {
        try await TemporaryFolder.with { outer in
            let folder = TemporaryFolder(url: outer.url.appendingPathComponent("data"))
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
            let journal = try await SQLiteJournal.open(at: folder.file("journal.sqlite"), now: .test(0))
            let shown = try await journal.append([.opening("a")])
            try misplacement.apply(to: folder)
            // The first read: it opens a connection of its own, by the file's name.
            #expect(try await journal.tail(9) == shown)
            #expect(journal.notices.map(\.kind) == [.restored])
            await journal.close()
        }
    }
}
