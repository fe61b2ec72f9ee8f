import Foundation
import Logging
import Testing
import TestSupport
import WeirFlows
import WeirStates

@testable import WeirCommand

@Suite(.timeLimit(.minutes(15))) struct DiskGuardTests {
    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func files(in folder: URL) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    }

    @Test func `space is reserved on a disk with room, and freed once the disk is full`() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let disk = DiskGuard(folder, keepFree: ByteCount(clamping: 1), logger: Logger(label: "test"))
        let watch = Task { await disk.run() }
        try await until {
            let size = try? FileManager.default.attributesOfItem(atPath: folder.appending(path: "reserve").path)[.size]
            return (size as? NSNumber)?.int64Value == 16 << 20
        }
        #expect(!disk.isAlmostFull && disk.almostFullSince.value == nil)
        watch.cancel()
        _ = await watch.value
        disk.prepare()
        #expect(files(in: folder) == ["reserve"])
        disk.freeReserve()
        #expect(files(in: folder).isEmpty)
    }

    @Test func `a disk with less space than is kept free is almost full, and the reserve is freed before a start`()
        throws
    {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(count: 10).write(to: folder.appending(path: "reserve"))
        let disk = DiskGuard(folder, keepFree: ByteCount(clamping: Int64.max), logger: Logger(label: "test"))
        disk.prepare()
        #expect(disk.isAlmostFull && disk.almostFullSince.value != nil)
        #expect(files(in: folder).isEmpty)
    }
}
