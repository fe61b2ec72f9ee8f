import Foundation
import Testing
import TestSupport
import WeirBoards
import WeirFlows
import WeirJournals
import WeirWeb

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct BackupServiceTests {
    private func service(
        _ fixture: BackupFixture, _ flags: [String: String], quiet: QuietStart? = nil,
        now: @escaping @Sendable () -> Timestamp,
        clock: any Clock<Duration> = ContinuousClock()
    ) throws -> BackupService {
        try BackupService(
            fixture.settings(flags), config: fixture.root.appending(path: "weir.yml").path,
            quiet: MutableStateFlow(quiet).asStateFlow(), clock: clock, now: now, logger: CapturedLog().logger)
    }

    @Test func `backups beyond the limit and remains of interrupted ones are removed, and nothing else`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let folder = fixture.root.appending(path: "backups", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let others = ["notes.txt", "weir-20200101T000000Z.backup.old", "weir-now.backup"]
        let old = ["weir-20200101T000000Z.backup", "weir-20210101T000000Z.backup"]
        for name in others + old + ["weir-20220101T000000Z.backup.unfinished-x"] {
            try Data().write(to: folder.appending(path: name))
        }
        let moment = fixture.moment
        let service = try service(fixture, ["backup.folder": folder.path, "backup.keep": "2"], now: { moment })
        await service.make()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == (others + ["weir-20210101T000000Z.backup", BackupService.name(at: moment)]).sorted())
        let standing = service.standing
        #expect(standing.last == moment && standing.isVerified == true && standing.problem == nil)
    }

    @Test func `a backup that fails leaves the last one and its reason, and removes nothing`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let folder = fixture.root.appending(path: "backups", directoryHint: .isDirectory)
        let moment = fixture.moment
        let service = try service(fixture, ["backup.folder": folder.path, "backup.keep": "1"], now: { moment })
        await service.make()
        try FileManager.default.removeItem(atPath: DataFolder(fixture.data).journal)
        await service.make()
        #expect(service.standing.last == moment)
        #expect(service.standing.problem?.contains("no journal") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }

    @Test func `a backup is late when its schedule has passed twice, and a quiet server has no schedule`() async throws
    {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let moment = Locked(fixture.moment)
        let flags = ["backup.folder": fixture.root.path, "backup.schedule": "0 3 * * *"]
        let service = try service(fixture, flags, now: { moment.withLock { $0 } })
        #expect(!service.standing.isLate && service.standing.next != nil)
        moment.withLock { $0 = $0.after(86_400_000) }
        #expect(!service.standing.isLate)
        moment.withLock { $0 = $0.after(86_400_000) }
        #expect(service.standing.isLate)
        let quiet = try self.service(
            fixture, flags, quiet: QuietStart(.copied, since: fixture.moment), now: { moment.withLock { $0 } })
        #expect(!quiet.standing.isLate && quiet.standing.next == nil)
    }

    @Test func `a schedule needs a folder, and an expression that comes`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let moment = fixture.moment
        #expect(throws: StartError.self) { try service(fixture, ["backup.schedule": "0 3 * * *"], now: { moment }) }
        #expect(throws: SettingsError.self) { try fixture.settings(["backup.schedule": "0 3 31 2 *"]) }
    }
}
