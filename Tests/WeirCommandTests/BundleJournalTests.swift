import Foundation
import Testing
import WeirJournals

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct BundleJournalTests {
    @Test func `an import begins a journal where there is none, and an export needs one`() async throws {
        let folder = DataFolder(FileManager.default.temporaryDirectory.appending(path: "weir-\(UUID().uuidString)"))
        defer { try? FileManager.default.removeItem(at: folder.url) }
        try folder.make()
        await #expect(throws: StartError.self) { try await BundleJournal.open(in: folder, access: .reading) }
        #expect(!FileManager.default.fileExists(atPath: folder.journal))
        try await BundleJournal.open(in: folder, access: .writing).close()
        try await BundleJournal.open(in: folder, access: .reading).close()
    }
}
