import Foundation
import Logging
import Synchronization
import Testing
import TestSupport
import WeirFlows

@testable import WeirAccess

@Suite(.timeLimit(.minutes(15))) struct AuditTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "weir-audit-\(UUID())")
    let clock = StoppedClock()
    let ana = Principal(.person, name: "ana")

    func log(days: Int = 365, onHead: @escaping @Sendable (String) -> Void = { _ in }) throws -> AuditLog {
        let clock = clock
        return try AuditLog(folder: folder, days: days, now: { clock.now }, onHead: onHead)
    }

    func remove() throws { try FileManager.default.removeItem(at: folder) }

    private func file() throws -> URL {
        folder.appending(path: try #require(try AuditFolder(folder).days().last) + AuditFolder.suffix)
    }

    @Test func `what was recorded is read, the newest first, by filter and page by page`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        for index in 0..<5 {
            log.record(.start, by: ana, from: AuditOrigin(address: "192.0.2.1"), subject: "operation:o\(index)")
        }
        log.record(.cancel, by: .system, subject: "run:r", outcome: .failed, detail: "it had ended")
        let all = try await log.page()
        #expect(all.records.map(\.number) == [7, 6, 5, 4, 3, 2, 1])
        #expect(all.records.first?.entry.detail == "it had ended")
        let starts = try await log.page(AuditFilter(principal: "ANA", action: .start), limit: 2)
        #expect(starts.records.compactMap(\.entry.subject) == ["operation:o4", "operation:o3"])
        let last: Int64 = try #require(starts.older)
        let older = try await log.page(AuditFilter(action: .start), before: last, limit: 9)
        #expect(older.records.compactMap(\.entry.subject) == ["operation:o2", "operation:o1", "operation:o0"])
        #expect(try await log.page(AuditFilter(outcome: .failed, subject: "run:")).records.count == 1)
        // Whoever has changed their name is found by what they were called then, and by what they always are.
        let eve = Principal(.person, name: "Eve Adams", identity: "p-17")
        log.record(.signIn, by: eve)
        for words in ["eve adams", "P-17"] {
            #expect(try await log.page(AuditFilter(principal: words)).records.count == 1, "\(words)")
        }
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
    }

    @Test func `entries that could not be written are counted, and are no fault of the chain`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        for (count, sum) in [(3, 3), (4, 7), (-9, 7), (Int64.max, .max)] {
            log.record(
                AuditEntry(at: clock.now, principal: .system, .lose, outcome: .failed, detail: "\(count)", count: count)
            )
            await log.flush()
            let verification = try AuditVerification(folder: folder)
            #expect(verification.lost == sum && verification.faults.isEmpty)
        }
    }

    @Test func `a line that was changed, taken out or put in is found, with its place`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        for index in 0..<9 { log.record(.start, by: ana, subject: "operation:o\(index)") }
        await log.flush()
        let file = try file()
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        func faults(_ lines: [String]) throws -> [String] {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            return try AuditVerification(folder: folder).faults.map(\.place)
        }
        let name = file.lastPathComponent
        #expect(try faults(lines).isEmpty)
        var changed = lines
        changed[4] = changed[4].replacing("ana", with: "eve")
        #expect(try faults(changed).first == "\(name):5")
        var short = lines
        short.remove(at: 4)
        #expect(try faults(short).first == "\(name):5")
        var swapped = lines
        swapped.swapAt(3, 4)
        #expect(try faults(swapped).first == "\(name):4")
        #expect(try faults(lines + [lines[4]]).first == "\(name):11")
        var spaced = lines
        spaced.insert("", at: 4)
        #expect(try faults(spaced) == ["\(name):5"])
        #expect(try faults(lines + [""]) == ["\(name):\(lines.count + 1)"])
    }

    @Test func `a day's file that was renamed is found, whatever its new name`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        log.record(.start, by: ana)
        await log.flush()
        let file = try file()
        let day = String(file.lastPathComponent.dropLast(AuditFolder.suffix.count))
        let others = ["2001-01-01", "2999-12-31", day + "-copy", "notes"].map { $0 + AuditFolder.suffix }
        for other in others {
            let renamed = folder.appending(path: other)
            try FileManager.default.moveItem(at: file, to: renamed)
            #expect(try AuditVerification(folder: folder).faults.map(\.place) == [other])
            try FileManager.default.moveItem(at: renamed, to: file)
        }
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
    }

    @Test func `a cut-off end and a rewritten past show by a head that was kept elsewhere`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let heads = Mutex<[String]>([])
        let log = try log { head in heads.withLock { $0.append(head) } }
        for index in 0..<9 { log.record(.start, by: ana, subject: "operation:o\(index)") }
        await log.flush()
        let head = log.head
        #expect(heads.withLock { $0.last } == head)
        #expect(try AuditVerification(folder: folder, known: head).faults.isEmpty)
        let file = try file()
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        try Data((lines.dropLast(2).joined(separator: "\n") + "\n").utf8).write(to: file)
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
        #expect(!(try AuditVerification(folder: folder, known: head).faults.isEmpty))
        // Somebody who writes the whole chain anew.
        var chain = AuditChain.start
        let forged = try (0..<10).map {
            try chain.append(AuditEntry(at: clock.now, principal: .system, .start, subject: "operation:x\($0)"))
        }
        try Data((forged.joined(separator: "\n") + "\n").utf8).write(to: file)
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
        #expect(!(try AuditVerification(folder: folder, known: head).faults.isEmpty))
        #expect(!(try AuditVerification(folder: folder, known: "nonsense").faults.isEmpty))
    }

    @Test func `two pasts that differ in one entry differ in every line after it`() throws {
        func line(after subject: String) throws -> String {
            var chain = AuditChain.start
            _ = try chain.append(AuditEntry(at: clock.now, principal: .system, .start, subject: subject))
            return try chain.append(AuditEntry(at: clock.now, principal: .system, .cancel, subject: "run:r"))
        }
        #expect(try line(after: "operation:a") == line(after: "operation:a"))
        #expect(try line(after: "operation:a") != line(after: "operation:b"))
    }

    @Test func `each day has its file, old days go, and their anchors hold the others`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log(days: 3)
        for day in 0..<6 {
            log.record(.start, by: ana, subject: "operation:day\(day)")
            await log.flush()
            clock.advance(86_400_000)
        }
        let days = try AuditFolder(folder).days()
        // As seen from the day before the last one.
        #expect(days.count == 5)
        let anchors = try AuditFolder(folder).anchors()
        #expect(anchors.count == 5)
        // Each day is told from its first entry to its last.
        #expect(anchors.first?.first == 1)
        for (day, next) in zip(anchors, anchors.dropFirst()) { #expect(next.first == day.end.number + 1) }
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
        try FileManager.default.removeItem(at: folder.appending(path: days[1] + AuditFolder.suffix))
        #expect(!(try AuditVerification(folder: folder).faults.isEmpty))
    }

    @Test func `the chain goes on after a restart, and after a line that a crash cut short`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let first = try log()
        first.record(.start, by: ana)
        await first.flush()
        let file = try file()
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("0123 {\"n\":3,".utf8))
        try handle.close()
        let second = try log()
        second.record(.cancel, by: ana)
        let page = try await second.page()
        #expect(page.records.map(\.entry.action) == [.cancel, .open, .start, .open])
        #expect(page.records.dropFirst().first?.entry.detail?.contains("cut short") == true)
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
    }

    @Test func `refusals are counted together, so that strangers cannot fill it`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        for index in 0..<10_000 {
            log.record(
                .see, by: .anonymous, from: AuditOrigin(address: "10.0.0.\(index % 200)"), subject: "run:\(index)",
                outcome: .refused)
            log.record(
                .start, by: ana, from: AuditOrigin(address: "192.0.2.1"), subject: "operation:deploy", outcome: .refused
            )
        }
        let records = try await log.page(limit: 1_000).records.map(\.entry).filter { $0.outcome == .refused }
        #expect(records.count <= 2 * AuditCounts.kinds + 1)
        #expect(records.map(\.count).reduce(0, +) == 20_000)
        let own = records.filter { $0.subject == "operation:deploy" }
        #expect(own.map(\.count) == [9_999, 1] && own.allSatisfy { $0.address == "192.0.2.1" })
    }

    @Test func `the first refusal of each kind is on the disk at once, and only repetitions wait`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let written = MutableStateFlow("")
        let log = try log { written.value = $0 }
        await log.flush()
        let before = log.head
        log.record(.start, by: ana, outcome: .refused)
        // Neither the clock moves, nor does anything flush.
        #expect(await soon { await written.first { !$0.isEmpty && $0 != before } } != nil)
        #expect(try AuditVerification(folder: folder).entries == 2)
    }

    @Test func `refusals are written when a minute has passed`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        log.record(.start, by: ana, outcome: .refused)
        clock.advance(AuditLog.countedFor)
        log.record(.start, by: ana, outcome: .refused)
        await log.flush()
        #expect(try AuditVerification(folder: folder).entries >= 2)
    }

    @Test(arguments: [AuditLog.countedFor, -3_600_000])
    func
        `refusals are written when a minute has passed or the clock was set back, also when nobody is refused any more`(
            later: Int64
        ) async throws
    {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        for _ in 0..<3 { log.record(.start, by: ana, outcome: .refused) }
        // The opening and the first refusal are written at once.
        try await until { log.head.hasPrefix("2:") }
        log.tick()
        clock.advance(later)
        // A tick during a write does nothing, like each until the interval is over.
        try await until {
            log.head.hasPrefix("3:")
        } otherwise: {
            log.tick()
        }
        #expect(try AuditVerification(folder: folder).entries == 3)
    }

    @Test func `hostile text stays inside its entry`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        let hostile = "x\n0000 {\"n\":1}\r\u{2028}\" \u{0}" + String(repeating: "é", count: 5_000)
        log.record(
            .start, by: Principal(.person, name: hostile), from: AuditOrigin(address: hostile), subject: hostile,
            detail: hostile)
        let entry = try #require(try await log.page().records.first?.entry)
        #expect(entry.name.hasPrefix("x\n0000"))
        #expect(entry.detail?.unicodeScalars.count == AuditEntry.textLimit + 1)
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
    }

    @Test func `what cannot be written is kept, and written once it can be`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        await log.flush()
        clock.advance(86_400_000)
        let tomorrow = folder.appending(path: AuditFolder.day(of: clock.now) + AuditFolder.suffix)
        try FileManager.default.createDirectory(at: tomorrow, withIntermediateDirectories: false)
        log.record(.start, by: ana)
        await log.flush()
        try FileManager.default.removeItem(at: tomorrow)
        log.record(.cancel, by: ana)
        #expect(try await log.page().records.map(\.entry.action) == [.cancel, .start, .open])
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
    }

    @Test func `each time that it can be written no more is told once`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let (clock, told) = (clock, CapturedLog(level: .error))
        let log = try AuditLog(folder: folder, now: { clock.now }, logger: told.logger)
        await log.flush()
        for time in 1...2 {
            clock.advance(86_400_000)
            let next = folder.appending(path: AuditFolder.day(of: clock.now) + AuditFolder.suffix)
            try FileManager.default.createDirectory(at: next, withIntermediateDirectories: false)
            for _ in 0..<3 {
                log.record(.start, by: ana)
                await log.flush()
            }
            #expect(told.messages().count == time)
            try FileManager.default.removeItem(at: next)
            log.record(.cancel, by: ana)
            await log.flush()
        }
        #expect(try AuditVerification(folder: folder).faults.isEmpty)
    }

    @Test func `its files are for their owner only`() async throws {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        await log.flush()
        for path in [folder.path, try file().path] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect((mode?.intValue ?? 0o777) & 0o077 == 0)
        }
    }

    @Test(arguments: ["9223372036854775807", "9007199254740992", "0", "-1"])
    func `a last line with a number that no audit comes to is told as damage, and ends no process`(number: String)
        async throws
    {
        defer { #expect(throws: Never.self) { try remove() } }
        let log = try log()
        log.record(.start, by: ana, subject: "operation:a")
        await log.flush()
        let file = try file()
        let line = try #require(try String(contentsOf: file, encoding: .utf8).split(separator: "\n").last)
        let other = line.replacing(#/"n":\d+/#, with: "\"n\":\(number)")
        #expect(other != line)
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data((other + "\n").utf8))
        try handle.close()
        #expect(!(try AuditVerification(folder: folder).faults.isEmpty))
        #expect(throws: (any Error).self) { try self.log() }
        #expect(AuditChain(head: "\(number):" + String(repeating: "0", count: 64)) == nil || number == "0")
    }
}
