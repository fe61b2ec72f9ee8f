import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirJournals

@testable import WeirCommand

@Suite struct QuietTests {
    private let folder = DataFolder(
        FileManager.default.temporaryDirectory.appending(path: "weir-quiet-\(UUID())", directoryHint: .isDirectory))
    private let moment = Timestamp(milliseconds: 1_800_000_000_000)

    private func begin(_ setting: String? = nil, isCopy: Bool = false) throws -> QuietStart.Reason? {
        let settings = try Settings(
            flags: setting.map { ["quiet": $0] } ?? [:], environment: [:], file: nil)
        return try Quiet.begin(settings, in: folder, isCopy: isCopy, now: moment, logger: CapturedLog().logger)?.reason
    }

    private func remove() { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder.url) } }

    @Test func `a copy is quiet until it is resumed, over restarts too`() throws {
        try folder.make()
        defer { remove() }
        #expect(try begin() == nil)
        #expect(try begin(isCopy: true) == .copied)
        #expect(try begin() == .copied)
        // The server ends it once it runs.
        var quiet = try #require(Quiet.read(in: folder))
        quiet.resumes = false
        try quiet.write(in: folder)
        #expect(try begin() == .copied)
        #expect(Quiet.read(in: folder)?.resumes == false)
        try Quiet.remove(in: folder)
        #expect(try begin() == nil)
    }

    @Test func `a start that was asked to be quiet is not at the next one`() throws {
        try folder.make()
        defer { remove() }
        #expect(try begin("yes") == .asked)
        #expect(try begin() == nil)
        #expect(try begin("no", isCopy: true) == nil)
    }

    @Test func `a record that cannot be read is quiet`() throws {
        try folder.make()
        defer { remove() }
        try Data("{".utf8).write(to: folder.url.appending(path: "quiet.json"))
        #expect(try begin() == .copied)
    }

    @Test func `the flag needs no value`() throws {
        let settings = try Settings(flags: FlagTexts(["--quiet", "--port", "0"]), environment: [:], file: nil)
        #expect(settings.text("quiet") == "yes" && settings.integer("port") == 0)
        #expect(try Settings(flags: FlagTexts(["--quiet"]), environment: [:], file: nil).text("quiet") == "yes")
    }
}
