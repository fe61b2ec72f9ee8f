import Foundation
import Testing
import TestSupport
import WeirJournals

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct HostileBackupTests {
    @Test(arguments: [nil, "secret"]) func `a backup that was cut off is refused, wherever it was cut`(name: String?)
        async throws
    {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let key = try name.map(fixture.key)
        try fixture.make(key)
        let whole = try Data(contentsOf: URL(filePath: fixture.file))
        let lengths = [0, 1, 9, 39, 40, 41, whole.count / 2, whole.count - 17, whole.count - 1]
        for length in lengths {
            try fixture.rewrite { $0 = whole.prefix(length) }
            try fixture.expectRefusal(key)
        }
        try fixture.rewrite { $0 = whole + [0] }
        try fixture.expectRefusal(key, saying: "damaged")
    }

    @Test func `a backup with a changed byte is refused, wherever it was changed`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        try fixture.make()
        let whole = try Data(contentsOf: URL(filePath: fixture.file))
        var random = SeededGenerator(seed: 7)
        let places = Array(0..<20) + (0..<60).map { _ in Int.random(in: whole.indices, using: &random) }
        for place in places {
            try fixture.rewrite { bytes in
                bytes = whole
                bytes[place] ^= 0x20
            }
            try fixture.expectRefusal()
        }
    }

    @Test func `an encrypted backup with a changed byte is refused`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let key = try fixture.key("secret")
        try fixture.make(key)
        let whole = try Data(contentsOf: URL(filePath: fixture.file))
        for place in [0, 8, 24, 40, whole.count / 2, whole.count - 1] {
            try fixture.rewrite { bytes in
                bytes = whole
                bytes[place] ^= 1
            }
            try fixture.expectRefusal(key)
        }
    }

    @Test func `a wrong, a missing and a needless key are named as such`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        try fixture.make(try fixture.key("secret"))
        try fixture.expectRefusal(try fixture.key("other"), saying: "not the one")
        try fixture.expectRefusal(saying: "is encrypted")
        try fixture.make()
        try fixture.expectRefusal(try fixture.key("secret"), saying: "is not encrypted")
        for text in ["short", String(repeating: "x", count: 2_000)] {
            let file = fixture.root.appending(path: "bad-key").path
            try Data(text.utf8).write(to: URL(filePath: file))
            #expect(throws: StartError.self) { try BackupKey(file: file) }
        }
        #expect(throws: StartError.self) { try BackupKey(file: "/nowhere") }
    }

    @Test(arguments: [
        "/etc/passwd", "../escape", "archive/../../escape", "archive//a", "archive/./a", "archive/", "audit/a\nb",
        "journal.sqlite-mark", "quiet.json", "unfinished-restore", "archive", "spool/a", "", "archive/\u{0}",
    ]) func `a part that leads out of the folder, or that no backup has, is refused`(name: String) async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        #expect(BackupName(name) == nil)
        try write([TarHeader(name: name, size: 1, time: 0).blocks, [1], TarHeader.padding(after: 1)], to: fixture)
        try fixture.expectRefusal()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.root.path).sorted() == ["data", "weir.backup"])
    }

    @Test func `sizes that are huge, negative or false are refused`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        for size in [1 << 40, 1 << 50, Int64.max, -1, Int64.min] {
            try write([TarHeader(name: "archive/a", size: size, time: 0).block, [1]], to: fixture)
            try fixture.expectRefusal()
        }
        let manifest = TarHeader(name: BackupManifest.name, size: 1 << 40, time: 0).block
        try write([manifest, [1]], to: fixture)
        try fixture.expectRefusal()
        let long = TarHeader(name: TarHeader.longName, size: 1 << 30, time: 0, isLongName: true).block
        try write([long, [1]], to: fixture)
        try fixture.expectRefusal()
    }

    @Test func `a part that compresses to a thousandth is restored whole`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        let writer = try BackupWriter(
            path: fixture.file, key: nil,
            manifest: BackupManifest(weir: "1", created: fixture.moment, machine: "m", journalPlace: "sqlite"))
        try writer.add(try #require(BackupName("archive/zeros")), bytes: bytes)
        let (manifest, size) = try writer.finish()
        #expect(manifest.parts.map(\.bytes) == [1 << 20] && size < 10_000)
        #expect(try fixture.restore().parts == manifest.parts)
    }

    @Test func `a part that comes twice, and parts that the manifest does not have, are refused`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let part = TarHeader(name: "archive/a", size: 0, time: 0).block
        let json = Array(
            #"{"format":1,"weir":"1","created":"2026-01-01T00:00:00Z","machine":"m","journalPlace":"sqlite","parts":[]}"#
                .utf8)
        let manifest = TarHeader(name: BackupManifest.name, size: Int64(json.count), time: 0).block
        let end = [json, TarHeader.padding(after: Int64(json.count)), [UInt8](repeating: 0, count: 1_024)]
        try write([part, part, manifest] + end, to: fixture)
        try fixture.expectRefusal()
        try write([part, manifest] + end, to: fixture)
        try fixture.expectRefusal()
        try write([manifest] + end, to: fixture)
        #expect(try fixture.restore().parts == [])
    }

    @Test func `a backup of a newer version, and any other file, are named as such`() async throws {
        let fixture = try await BackupFixture()
        defer { fixture.remove() }
        let json = Array(#"{"format":2}"#.utf8)
        let manifest = TarHeader(name: BackupManifest.name, size: Int64(json.count), time: 0).block
        try write(
            [manifest, json, TarHeader.padding(after: Int64(json.count)), [UInt8](repeating: 0, count: 1_024)],
            to: fixture)
        try fixture.expectRefusal(saying: "newer Weir")
        try fixture.rewrite { $0 = Data("{}".utf8) }
        try fixture.expectRefusal(saying: "not a backup")
    }

    @Test(arguments: [0, 1, 511, 512, 1 << 33, 1 << 40, 1 << 50])
    func `a header of a tar archive is read as it was written`(size: Int64) {
        let header = TarHeader(name: "archive/é", size: size, time: 1_800_000_000)
        #expect(header.block.count == 512)
        #expect(TarHeader(header.block, longName: nil) == header)
        var changed = header.block
        changed[300] ^= 1
        #expect(TarHeader(changed, longName: nil) == nil)
    }

    private func write(_ pieces: [[UInt8]], to fixture: BackupFixture) throws {
        let coder = try GzipCoder(.compress)
        var bytes: [UInt8] = []
        try coder.take(pieces.flatMap { $0 }, isLast: true) { bytes += $0 }
        try Data(bytes).write(to: URL(filePath: fixture.file))
    }
}
