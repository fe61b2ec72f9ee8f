import Foundation
import Testing
import TestSupport

@testable import WeirAccess

/// What a wrong clock, or somebody who removes files, does to the audit.
extension AuditTests {
    @Test func `a clock that is years ahead removes nothing on its first day`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log(days: 3)
        log.record(.start, by: ana)
        await log.flush()
        clock.advance(86_400_000)
        log.record(.start, by: ana)
        await log.flush()
        clock.advance(3_650 * 86_400_000)
        let again = try self.log(days: 3)
        again.record(.start, by: ana)
        await again.flush()
        #expect(try AuditFolder(folder).days().count == 3)
        clock.advance(86_400_000)
        again.record(.start, by: ana)
        await again.flush()
        #expect(try AuditFolder(folder).days().count == 2)
    }

    @Test func `a file of today that somebody removes is written again with all its lines, with its folder`()
        async throws
    {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        log.record(.start, by: ana)
        await log.flush()
        try remove()
        log.record(.cancel, by: ana)
        let page = try await log.page()
        #expect(page.records.map(\.entry.action) == [.cancel, .start, .open])
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
    }

    @Test func `that the audit cannot be written is logged once, and once that it is again`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let captured = CapturedLog()
        let clock = clock
        let log = try AuditLog(folder: folder, now: { clock.now }, logger: captured.logger)
        await log.flush()
        try remove()
        // A file where the folder should be.
        try Data().write(to: folder)
        for _ in 0..<3 {
            log.record(.start, by: ana)
            await log.flush()
        }
        try FileManager.default.removeItem(at: folder)
        log.record(.cancel, by: ana)
        await log.flush()
        #expect(captured.messages() == ["The audit cannot be written.", "The audit is written again."])
        #expect(try await log.page().records.count == 5)
    }

    @Test func `a line among the anchors that is none is passed over, and the anchors hold the days as before`()
        async throws
    {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        for _ in 0..<2 {
            log.record(.start, by: ana)
            await log.flush()
            clock.advance(86_400_000)
        }
        let anchors = try AuditFolder(folder).anchors()
        #expect(anchors.count == 1)
        let file = folder.appending(path: "anchors")
        let text = try String(contentsOf: file, encoding: .utf8)
        let others = "2026-11-20\n2026-11-20 one \(log.head)\n2026-11-20 1 two\n"
        try Data((others + text).utf8).write(to: file)
        #expect(try AuditFolder(folder).anchors() == anchors)
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
    }

    @Test(arguments: ["", "2026-11-2", "2026-11-20 1 2"])
    func `an anchor that was cut short takes none of those behind it with it`(_ rest: String) async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        let file = folder.appending(path: "anchors")
        for day in 0..<3 {
            log.record(.start, by: ana)
            await log.flush()
            clock.advance(86_400_000)
            guard day == 1 else { continue }
            try Data((try String(contentsOf: file, encoding: .utf8) + rest).utf8).write(to: file)
        }
        let anchors = try AuditFolder(folder).anchors()
        #expect(anchors.map(\.first) == [1, 3])
        #expect(anchors.map(\.end.number) == [2, 3])
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
    }
}
